import { AccountRepository } from './account.repository';
import { ApiKeyRepository } from './api-key.repository';
import { CreditRepository } from './credit.repository';
import { OutboxRepository } from './outbox.repository';
import { PreviewRepository } from './preview.repository';
import { VoiceRepository } from './voice.repository';

/** Every repository, as providers of the database module. */
export const REPOSITORIES = [
  AccountRepository,
  ApiKeyRepository,
  CreditRepository,
  OutboxRepository,
  PreviewRepository,
  VoiceRepository,
];
