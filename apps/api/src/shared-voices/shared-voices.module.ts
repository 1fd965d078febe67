import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ScreeningModule } from '../screening/screening.module';
import { VoicesModule } from '../voices/voices.module';
import { AddSharedVoiceService } from './add-shared-voice.service';
import { PublicAddSharedVoiceController } from './public-add-shared-voice.controller';
import { PublicSharedVoicesController } from './public-shared-voices.controller';
import { SharedVoicesService } from './shared-voices.service';
import { StaffSharedVoicesController } from './staff-shared-voices.controller';

/** The catalogue of voices that staff have shared with every account. */
@Module({
  imports: [AdministrationModule, DatabaseModule, ScreeningModule, VoicesModule],
  controllers: [PublicAddSharedVoiceController, PublicSharedVoicesController, StaffSharedVoicesController],
  providers: [AddSharedVoiceService, SharedVoicesService],
})
export class SharedVoicesModule {}
