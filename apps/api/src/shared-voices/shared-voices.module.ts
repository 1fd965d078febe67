import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { VoicesModule } from '../voices/voices.module';
import { PublicSharedVoicesController } from './public-shared-voices.controller';
import { SharedVoicesService } from './shared-voices.service';
import { StaffSharedVoicesController } from './staff-shared-voices.controller';

/** The catalogue of voices that staff have shared with every account. */
@Module({
  imports: [AdministrationModule, DatabaseModule, VoicesModule],
  controllers: [PublicSharedVoicesController, StaffSharedVoicesController],
  providers: [SharedVoicesService],
})
export class SharedVoicesModule {}
