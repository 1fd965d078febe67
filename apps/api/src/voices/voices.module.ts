import { AdministrationModule } from '@app/administration/administration.module';
import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { DatabaseModule } from '@app/database/database.module';
import { OutboxModule } from '@app/queue/outbox.module';
import { WebhookEventsModule } from '@app/webhooks/webhook-events.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { AddVoiceRequests } from './add-voice-requests';
import { AddVoiceService } from './add-voice.service';
import { PreviewUrls } from './preview-urls';
import { PublicVoiceChangesController } from './public-voice-changes.controller';
import { PublicVoicesController } from './public-voices.controller';
import { RecordingInspector } from './recording-inspector';
import { RecordingUploads } from './recording-uploads';
import { RecordingsConsent } from './recordings-consent';
import { ReviewRequests } from './review-requests';
import { StaffVoiceReader } from './staff-voice-reader.service';
import { StaffVoiceSafetyController } from './staff-voice-safety.controller';
import { StaffVoicesController } from './staff-voices.controller';
import { VoiceChangesService } from './voice-changes.service';
import { VoiceEditsService } from './voice-edits.service';
import { VoiceListeningService } from './voice-listening.service';
import { VoiceSafetyService } from './voice-safety.service';
import { VoiceSamplesService } from './voice-samples.service';
import { VoiceSearchService } from './voice-search.service';
import { VoiceSlots } from './voice-slots';
import { VoicesService } from './voices.service';

/** Voices of accounts, for customers and for staff. */
@Module({
  imports: [
    AdministrationModule,
    AudioStoreModule,
    DatabaseModule,
    HttpModule,
    OutboxModule,
    WebhookEventsModule,
  ],
  controllers: [
    PublicVoiceChangesController,
    PublicVoicesController,
    StaffVoiceSafetyController,
    StaffVoicesController,
  ],
  providers: [
    AddVoiceRequests,
    AddVoiceService,
    PreviewUrls,
    RecordingInspector,
    RecordingUploads,
    RecordingsConsent,
    ReviewRequests,
    StaffVoiceReader,
    VoiceChangesService,
    VoiceEditsService,
    VoiceListeningService,
    VoiceSafetyService,
    VoiceSamplesService,
    VoiceSearchService,
    VoiceSlots,
    VoicesService,
  ],
  exports: [PreviewUrls, ReviewRequests, StaffVoiceReader, VoiceSlots, VoicesService],
})
export class VoicesModule {}
