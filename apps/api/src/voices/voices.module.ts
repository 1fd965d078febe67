import { AdministrationModule } from '@app/administration/administration.module';
import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { DatabaseModule } from '@app/database/database.module';
import { QueueModule } from '@app/queue/queue.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ScreeningModule } from '../screening/screening.module';
import { AddVoiceRequests } from './add-voice-requests';
import { AddVoiceService } from './add-voice.service';
import { PreviewUrls } from './preview-urls';
import { PublicVoiceChangesController } from './public-voice-changes.controller';
import { PublicVoicesController } from './public-voices.controller';
import { RecordingInspector } from './recording-inspector';
import { RecordingUploads } from './recording-uploads';
import { RecordingsConsent } from './recordings-consent';
import { StaffSameRecordingsController } from './staff-same-recordings.controller';
import { SameRecordingsService } from './same-recordings.service';
import { SameSpeakerService } from './same-speaker.service';
import { StaffVoiceAliasesController } from './staff-voice-aliases.controller';
import { StaffVoiceReader } from './staff-voice-reader.service';
import { StaffVoiceSafetyController } from './staff-voice-safety.controller';
import { StaffVoiceTagsController } from './staff-voice-tags.controller';
import { StaffVoicesController } from './staff-voices.controller';
import { VoiceChangesService } from './voice-changes.service';
import { VoiceCopiesService } from './voice-copies.service';
import { VoiceEditsService } from './voice-edits.service';
import { VoiceListeningService } from './voice-listening.service';
import { VoiceSamplesService } from './voice-samples.service';
import { VoiceSearchService } from './voice-search.service';
import { VoiceSlots } from '@app/administration/voices/voice-slots';
import { VoicesService } from './voices.service';

/** Voices of accounts, for customers and for staff. */
@Module({
  imports: [AdministrationModule, AudioStoreModule, DatabaseModule, HttpModule, QueueModule, ScreeningModule],
  controllers: [
    PublicVoiceChangesController,
    PublicVoicesController,
    StaffSameRecordingsController,
    StaffVoiceAliasesController,
    StaffVoiceSafetyController,
    StaffVoiceTagsController,
    StaffVoicesController,
  ],
  providers: [
    AddVoiceRequests,
    AddVoiceService,
    PreviewUrls,
    RecordingInspector,
    RecordingUploads,
    RecordingsConsent,
    SameRecordingsService,
    SameSpeakerService,
    StaffVoiceReader,
    VoiceChangesService,
    VoiceCopiesService,
    VoiceEditsService,
    VoiceListeningService,
    VoiceSamplesService,
    VoiceSearchService,
    VoiceSlots,
    VoicesService,
  ],
  exports: [PreviewUrls, RecordingInspector, StaffVoiceReader, VoiceCopiesService, VoiceSlots, VoicesService],
})
export class VoicesModule {}
