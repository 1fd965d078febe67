import { AdministrationModule } from '@app/administration/administration.module';
import { AuthModule } from '@app/auth/auth.module';
import { CreditsModule } from '@app/credits/credits.module';
import { DatabaseModule } from '@app/database/database.module';
import { GatesModule } from '@app/gates/gates.module';
import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { ObservedTrafficModule } from '../observed-traffic/observed-traffic.module';
import { SingleUseTokensModule } from '../single-use-tokens/single-use-tokens.module';
import { PresentedCredentials } from './presented-credentials';
import { HoldsService } from './holds.service';
import { IntrospectionService } from './introspection.service';
import { PlatformForwardController } from './platform-forward.controller';
import { PlatformIntrospectionController } from './platform-introspection.controller';
import { ServiceCredentialListService } from './service-credential-list.service';
import { StaffServiceCredentialsController } from './staff-service-credentials.controller';

/** Decisions for the platform's other services, and the credentials of these. */
@Module({
  imports: [
    AdministrationModule,
    AuthModule,
    CreditsModule,
    DatabaseModule,
    GatesModule,
    HttpModule,
    ObservedTrafficModule,
    SingleUseTokensModule,
  ],
  controllers: [
    PlatformForwardController,
    PlatformIntrospectionController,
    StaffServiceCredentialsController,
  ],
  providers: [PresentedCredentials, HoldsService, IntrospectionService, ServiceCredentialListService],
})
export class IntrospectionModule {}
