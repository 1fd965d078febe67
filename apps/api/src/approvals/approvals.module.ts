import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ApprovableChanges, ApprovableKeyChanges } from './approvable-changes';
import { ApprovalSearchService } from './approval-search.service';
import { StaffApprovalsController } from './staff-approvals.controller';

/** Changes that wait for a second member of staff. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [StaffApprovalsController],
  providers: [ApprovableChanges, ApprovableKeyChanges, ApprovalSearchService],
})
export class ApprovalsModule {}
