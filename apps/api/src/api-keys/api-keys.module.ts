import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ApiKeyExportService } from './api-key-export.service';
import { ApiKeySearchService } from './api-key-search.service';
import { KeyPermissionsService } from './key-permissions.service';
import { StaffBulkChangesController } from './staff-bulk-changes.controller';
import { StaffKeyDryRunsController } from './staff-key-dry-runs.controller';
import { StaffKeyImportsController } from './staff-key-imports.controller';
import { StaffKeyPermissionsController } from './staff-key-permissions.controller';
import { StaffApiKeysController } from './staff-api-keys.controller';

/** API keys, for staff. */
@Module({
  imports: [AdministrationModule, DatabaseModule, HttpModule],
  controllers: [
    StaffBulkChangesController,
    StaffKeyDryRunsController,
    StaffKeyImportsController,
    StaffKeyPermissionsController,
    StaffApiKeysController,
  ],
  providers: [ApiKeyExportService, ApiKeySearchService, KeyPermissionsService],
})
export class ApiKeysModule {}
