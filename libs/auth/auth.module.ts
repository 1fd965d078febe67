import { AppConfig } from '@app/config/app-config';
import { DatabaseModule } from '@app/database/database.module';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { Module } from '@nestjs/common';
import { ApiKeyHook } from './api-key.hook';
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
    ServiceCredentialHook,
    { provide: FailedCredentials, useFactory: () => new FailedCredentials() },
    {
      provide: KeyVerifier,
      inject: [ApiKeyRepository],
      useFactory: (keys: ApiKeyRepository) => new KeyVerifier(keys),
    },
    {
      provide: KeyChangeListener,
      inject: [KeyVerifier, ServiceCredentialHook, KeyChanges, AppConfig],
      useFactory: (
        verifier: KeyVerifier,
        { credentials }: ServiceCredentialHook,
        changes: KeyChanges,
        config: AppConfig,
      ) => {
        const listener = new KeyChangeListener([verifier, credentials], config);
        changes.collectFrom(listener);
        return listener;
      },
    },
  ],
  exports: [ApiKeyHook, FailedCredentials, KeyChangeListener, KeyVerifier, ServiceCredentialHook],
})
export class AuthModule {}
