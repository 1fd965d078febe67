import { AdministrationModule } from '@app/administration/administration.module';
import { CreditsModule } from '@app/credits/credits.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { AccountSearchService } from './account-search.service';
import { AccountCreditsService } from './account-credits.service';
import { PublicKeyPolicyController } from './public-key-policy.controller';
import { StaffAccountManagersController } from './staff-account-managers.controller';
import { StaffAccountsController } from './staff-accounts.controller';
import { StaffCreditsController } from './staff-credits.controller';

/** Accounts and their credits, for staff; for an account, the policy of its keys. */
@Module({
  imports: [AdministrationModule, CreditsModule, DatabaseModule],
  controllers: [
    PublicKeyPolicyController,
    StaffAccountManagersController,
    StaffAccountsController,
    StaffCreditsController,
  ],
  providers: [AccountSearchService, AccountCreditsService],
})
export class AccountsModule {}
