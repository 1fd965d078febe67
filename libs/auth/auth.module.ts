import { AppConfig } from '@app/config/app-config';
import { DatabaseModule } from '@app/database/database.module';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { Module } from '@nestjs/common';
import { AccountMoveRepository } from '@app/database/cells/account-move.repository';
import { ApiKeyHook } from './api-key.hook';
import { Arrivals } from './arrivals';
import { MovedCredentials } from './moved-credentials';
import { FailedCredentials } from './failed-credentials';
import { KeyChangeListener } from './invalidation/key-change-listener';
import { KeyChanges } from './invalidation/key-changes';
import { KeyChangesModule } from './invalidation/key-changes.module';
import { KeyVerifier } from './key-verifier';
import { ServiceCredentialHook } from './service-credential.hook';

/** Verification of keys and of the credentials of services, from caches that changes are evicted from. */
@Module({
  imports: [DatabaseModule, KeyChangesModule],
  providers: [
    ApiKeyHook,
    MovedCredentials,
    ServiceCredentialHook,
    {
      provide: Arrivals,
      inject: [AccountMoveRepository],
      useFactory: (moves: AccountMoveRepository) => new Arrivals(moves),
    },
    { provide: FailedCredentials, useFactory: () => new FailedCredentials() },
    {
      provide: KeyVerifier,
      inject: [ApiKeyRepository],
      useFactory: (keys: ApiKeyRepository) => new KeyVerifier(keys),
    },
    {
      provide: KeyChangeListener,
      inject: [KeyVerifier, MovedCredentials, ServiceCredentialHook, KeyChanges, AppConfig],
      useFactory: (
        verifier: KeyVerifier,
        { left }: MovedCredentials,
        { credentials }: ServiceCredentialHook,
        changes: KeyChanges,
        config: AppConfig,
      ) => {
        const listener = new KeyChangeListener([verifier, left, credentials], config);
        changes.collectFrom(listener);
        return listener;
      },
    },
  ],
  exports: [
    ApiKeyHook,
    Arrivals,
    FailedCredentials,
    KeyChangeListener,
    KeyVerifier,
    MovedCredentials,
    ServiceCredentialHook,
  ],
})
export class AuthModule {}
