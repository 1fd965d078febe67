import { AppConfig } from '@app/config/app-config';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import type { Provider } from '@nestjs/common';
import { ApiKeyGuard } from './api-key.guard';
import { FailedCredentials } from './failed-credentials';
import { KeyChangeListener } from './invalidation/key-change-listener';
import { KeyChanges } from './invalidation/key-changes';
import { KeyVerifier } from './key-verifier';
import { ServiceCredentialGuard } from './service-credential.guard';

/** Key verification on the keys in the database; the module that lists these imports the database module. */
export const AUTH_PROVIDERS: Provider[] = [
  ApiKeyGuard,
  KeyChanges,
  ServiceCredentialGuard,
  { provide: FailedCredentials, useFactory: () => new FailedCredentials() },
  {
    provide: KeyChangeListener,
    inject: [KeyVerifier, ServiceCredentialGuard, AppConfig],
    useFactory: (verifier: KeyVerifier, { credentials }: ServiceCredentialGuard, config: AppConfig) =>
      new KeyChangeListener([verifier, credentials], config),
  },
  {
    provide: KeyVerifier,
    inject: [ApiKeyRepository],
    useFactory: (keys: ApiKeyRepository) => new KeyVerifier(keys),
  },
];
