import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AuditLogService } from './audit-log.service';
import { StaffAuditLogController } from './staff-audit-log.controller';

/** Reading and verifying the audit log. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [StaffAuditLogController],
  providers: [AuditLogService],
})
export class AuditLogModule {}
