import { ApiKeyRepository } from '@app/database/repositories/api-key.repository';
import type { Provider } from '@nestjs/common';
import { ApiKeyGuard } from './api-key.guard';
import { KeyChangeListener } from './key-change-listener';
import { KeyChanges } from './key-changes';
import { KeyVerifier } from './key-verifier';

/** Key verification on the keys in the database; the module that lists these imports the database module. */
export const AUTH_PROVIDERS: Provider[] = [
  ApiKeyGuard,
  KeyChangeListener,
  KeyChanges,
  {
    provide: KeyVerifier,
    inject: [ApiKeyRepository],
    useFactory: (keys: ApiKeyRepository) => new KeyVerifier(keys),
  },
];
