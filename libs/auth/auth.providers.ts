import { AppConfig } from '@app/config/app-config';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { Provider } from '@nestjs/common';
import { ApiKeyHook } from './api-key.hook';
import { FailedCredentials } from './failed-credentials';
import { KeyChangeListener } from './invalidation/key-change-listener';
import { KeyChanges } from './invalidation/key-changes';
import { KeyVerifier } from './key-verifier';
import { ServiceCredentialHook } from './service-credential.hook';

/** Key verification on the keys in the database; the module that lists these imports the database module. */
export const AUTH_PROVIDERS: Provider[] = [
  ApiKeyHook,
  KeyChanges,
  ServiceCredentialHook,
  { provide: FailedCredentials, useFactory: () => new FailedCredentials() },
  {
    provide: KeyChangeListener,
    inject: [KeyVerifier, ServiceCredentialHook, AppConfig],
    useFactory: (verifier: KeyVerifier, { credentials }: ServiceCredentialHook, config: AppConfig) =>
      new KeyChangeListener([verifier, credentials], config),
  },
  {
    provide: KeyVerifier,
    inject: [ApiKeyRepository],
    useFactory: (keys: ApiKeyRepository) => new KeyVerifier(keys),
  },
];
