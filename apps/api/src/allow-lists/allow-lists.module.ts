import { AdministrationModule } from '@app/administration/administration.module';
import { Module } from '@nestjs/common';
import { StaffAllowListsController } from './staff-allow-lists.controller';

/** Editing of allow-lists. */
@Module({
  imports: [AdministrationModule],
  controllers: [StaffAllowListsController],
})
export class AllowListsModule {}
