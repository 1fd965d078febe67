import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { ApiKeySearchService } from '../api-keys/api-key-search.service';
import { ApiKeysService } from '@app/administration/keys/api-keys.service';
import { AuditedChanges } from '@app/administration/audit/audited-changes';
import { BulkChangesService } from '../api-keys/bulk-changes.service';
import { StaffApiKeysController } from '../api-keys/staff-api-keys.controller';
import { PublicServiceAccountsController } from '../service-accounts/public-service-accounts.controller';
import { KeyReachService } from '../service-accounts/key-reach.service';
import { ServiceAccountKeyChangesService } from '../service-accounts/service-account-key-changes.service';
import { ServiceAccountKeysService } from '../service-accounts/service-account-keys.service';
import { ServiceAccountsService } from '../service-accounts/service-accounts.service';
import { PublicUserController } from '../user/public-user.controller';
import { UserService } from '../user/user.service';
import { AccountChangesService } from './account-changes.service';
import { AccountSearchService } from './account-search.service';
import { AccountsService } from '@app/administration/accounts/accounts.service';
import { CreditAdjustmentsService } from './credit-adjustments.service';
import { CreditsService } from './credits.service';
import { StaffAccountsController } from './staff-accounts.controller';
import { StaffCreditsController } from './staff-credits.controller';

/** Accounts and their keys, for the api's module. */
export const ADMINISTRATION_CONTROLLERS = [
  PublicServiceAccountsController,
  PublicUserController,
  StaffAccountsController,
  StaffApiKeysController,
  StaffCreditsController,
];
export const ADMINISTRATION_PROVIDERS = [
  AccountChangesService,
  AccountSearchService,
  AccountsService,
  ApiKeyChangesService,
  ApiKeySearchService,
  ApiKeysService,
  AuditedChanges,
  BulkChangesService,
  CreditAdjustmentsService,
  CreditsService,
  KeyReachService,
  ServiceAccountKeyChangesService,
  ServiceAccountKeysService,
  ServiceAccountsService,
  UserService,
];
