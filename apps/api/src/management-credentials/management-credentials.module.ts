import { AdministrationModule } from '@app/administration/administration.module';
import { AuthModule } from '@app/auth/auth.module';
import { DatabaseModule } from '@app/database/database.module';
import { GatesModule } from '@app/gates/gates.module';
import { Module } from '@nestjs/common';
import { ManagementCredentialListService } from './management-credential-list.service';
import { ManagementVerifier } from './management-verifier';
import { StaffManagementCredentialsController } from './staff-management-credentials.controller';

/** What programs sign in with that use the staff API. */
@Module({
  imports: [AdministrationModule, AuthModule, DatabaseModule, GatesModule],
  controllers: [StaffManagementCredentialsController],
  providers: [ManagementCredentialListService, ManagementVerifier],
  exports: [ManagementVerifier],
})
export class ManagementCredentialsModule {}
