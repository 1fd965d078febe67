import { AdministrationModule } from '@app/administration/administration.module';
import { AudioStoreModule } from '@app/audio-store/audio-store.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { HistoryRecorder } from './history-recorder';
import { HistoryService } from './history.service';
import { VoicesModule } from '../voices/voices.module';
import { PublicHistoryController } from './public-history.controller';
import { StaffSpokenClipsController } from './staff-spoken-clips.controller';

/** What voices have spoken. Left out where TEXT_TO_SPEECH is off. */
@Module({
  imports: [AdministrationModule, AudioStoreModule, DatabaseModule, VoicesModule],
  controllers: [PublicHistoryController, StaffSpokenClipsController],
  providers: [HistoryRecorder, HistoryService],
  exports: [HistoryRecorder, HistoryService],
})
export class HistoryModule {}
