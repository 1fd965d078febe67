import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AccountAuditLogService } from './account-audit-log.service';
import { AuditLogService } from './audit-log.service';
import { PublicAuditLogController } from './public-audit-log.controller';
import { StaffAuditLogController } from './staff-audit-log.controller';

/** Reading and verifying the audit log; for accounts, their own events. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [PublicAuditLogController, StaffAuditLogController],
  providers: [AccountAuditLogService, AuditLogService],
})
export class AuditLogModule {}
