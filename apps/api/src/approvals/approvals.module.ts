import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ApprovableChanges } from './approvable-changes';
import { ApprovalSearchService } from './approval-search.service';
import { StaffApprovalsController } from './staff-approvals.controller';

/** Changes that wait for a second member of staff. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [StaffApprovalsController],
  providers: [ApprovableChanges, ApprovalSearchService],
})
export class ApprovalsModule {}
