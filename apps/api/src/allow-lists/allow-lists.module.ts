import { AdministrationModule } from '@app/administration/administration.module';
import { Module } from '@nestjs/common';
import { StaffAccountAllowListController } from './staff-account-allow-list.controller';
import { StaffAllowListPresetsController } from './staff-allow-list-presets.controller';
import { StaffAllowListTimersController } from './staff-allow-list-timers.controller';
import { StaffAllowListsController } from './staff-allow-lists.controller';

/** Editing of allow-lists. */
@Module({
  imports: [AdministrationModule],
  controllers: [
    StaffAccountAllowListController,
    StaffAllowListPresetsController,
    StaffAllowListTimersController,
    StaffAllowListsController,
  ],
})
export class AllowListsModule {}
