import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ManagementCredentialsModule } from '../management-credentials/management-credentials.module';
import { KnownDevices } from './known-devices';
import { OwnSecurityChecks } from './own-security-checks';
import { OwnSecurityService } from './own-security.service';
import { OwnSessionsController } from './own-sessions.controller';
import { OwnSessionsService } from './own-sessions.service';
import { OwnPasskeysController } from './own-passkeys.controller';
import { OwnPasskeysService } from './own-passkeys.service';
import { PasskeyProofsService } from './passkey-proofs.service';
import { ProviderLogoutService } from './provider-logout.service';
import { ProviderMembers } from './provider-members';
import { RolePoliciesController } from './role-policies.controller';
import { SessionCookies } from './session-cookies';
import { SessionTokens } from './session-tokens';
import { SignInConfirmationService } from './sign-in-confirmation.service';
import { SignInLibrary } from './sign-in-library';
import { SignInRecord } from './sign-in-record';
import { SignInRefusals } from './sign-in-refusals';
import { SignInThrottle } from './sign-in-throttle';
import { SignInService } from './sign-in.service';
import { StaffCredentials } from './staff-credentials';
import { StaffMembersController } from './staff-members.controller';
import { StaffSearchService } from './staff-search.service';
import { StaffSignInController } from './staff-sign-in.controller';
import { StaffHook } from './staff.hook';

/** Staff: their sign-in, their sessions, their roles. */
@Module({
  imports: [AdministrationModule, DatabaseModule, ManagementCredentialsModule],
  controllers: [
    OwnPasskeysController,
    OwnSessionsController,
    RolePoliciesController,
    StaffMembersController,
    StaffSignInController,
  ],
  providers: [
    KnownDevices,
    OwnPasskeysService,
    OwnSecurityChecks,
    OwnSecurityService,
    OwnSessionsService,
    PasskeyProofsService,
    ProviderLogoutService,
    ProviderMembers,
    SessionCookies,
    SessionTokens,
    SignInConfirmationService,
    SignInLibrary,
    SignInRecord,
    SignInRefusals,
    SignInService,
    SignInThrottle,
    StaffCredentials,
    StaffHook,
    StaffSearchService,
  ],
  exports: [StaffHook],
})
export class StaffModule {}
