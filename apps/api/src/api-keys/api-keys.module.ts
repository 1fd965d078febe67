import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { AlertsModule } from '@app/alerts/alerts.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ApiKeySearchService } from './api-key-search.service';
import { BulkChangesService } from './bulk-changes.service';
import { StaffBulkChangesController } from './staff-bulk-changes.controller';
import { StaffKeyDryRunsController } from './staff-key-dry-runs.controller';
import { StaffKeyPermissionsController } from './staff-key-permissions.controller';
import { StaffApiKeysController } from './staff-api-keys.controller';

/** API keys, for staff. */
@Module({
  imports: [AdministrationModule, AlertsModule, DatabaseModule, HttpModule],
  controllers: [
    StaffBulkChangesController,
    StaffKeyDryRunsController,
    StaffKeyPermissionsController,
    StaffApiKeysController,
  ],
  providers: [ApiKeySearchService, BulkChangesService],
})
export class ApiKeysModule {}
