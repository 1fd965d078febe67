import { AdministrationModule } from '@app/administration/administration.module';
import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { PreviewUrls } from './preview-urls';
import { PublicVoiceChangesController } from './public-voice-changes.controller';
import { PublicVoicesController } from './public-voices.controller';
import { StaffVoiceReader } from './staff-voice-reader.service';
import { StaffVoicesController } from './staff-voices.controller';
import { VoiceChangesService } from './voice-changes.service';
import { VoiceListeningService } from './voice-listening.service';
import { VoiceSearchService } from './voice-search.service';
import { VoicesService } from './voices.service';

/** Voices of accounts, for customers and for staff. */
@Module({
  imports: [AdministrationModule, AudioStoreModule, DatabaseModule],
  controllers: [PublicVoiceChangesController, PublicVoicesController, StaffVoicesController],
  providers: [
    PreviewUrls,
    StaffVoiceReader,
    VoiceChangesService,
    VoiceListeningService,
    VoiceSearchService,
    VoicesService,
  ],
  exports: [PreviewUrls, StaffVoiceReader, VoicesService],
})
export class VoicesModule {}
