import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { KeyScopeService } from './key-scope.service';
import { PublicServiceAccountsController } from './public-service-accounts.controller';
import { ServiceAccountKeyChangesService } from './service-account-key-changes.service';
import { ServiceAccountKeysService } from './service-account-keys.service';
import { ServiceAccountsService } from './service-accounts.service';

/** Service accounts and their keys, for customers. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [PublicServiceAccountsController],
  providers: [
    KeyScopeService,
    ServiceAccountKeyChangesService,
    ServiceAccountKeysService,
    ServiceAccountsService,
  ],
})
export class ServiceAccountsModule {}
