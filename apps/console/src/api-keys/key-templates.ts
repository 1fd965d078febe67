import type { Permission } from '@app/domain/keys/permissions';

/** A starting point of a new key: everything in it can be changed before the key is created. */
export interface KeyTemplate {
  name: string;
  permissions: Permission[];
  /** A period; null for the account's limit only. */
  creditLimit: number | null;
  expiresInDays: number | null;
}

export const KEY_TEMPLATES: readonly KeyTemplate[] = [
  {
    name: 'Speech in a product',
    permissions: ['text_to_speech', 'voices_read', 'models_read'],
    creditLimit: null,
    expiresInDays: 365,
  },
  {
    name: 'Voice design',
    permissions: ['voice_generation', 'voices_read', 'voices_write', 'models_read'],
    creditLimit: null,
    expiresInDays: 365,
  },
  {
    name: 'Trial',
    permissions: ['text_to_speech', 'voice_generation', 'voices_read', 'models_read'],
    creditLimit: 10_000,
    expiresInDays: 30,
  },
  {
    name: 'Reading only',
    permissions: ['voices_read', 'models_read', 'speech_history_read', 'user_read', 'workspace_read'],
    creditLimit: null,
    expiresInDays: 365,
  },
  {
    name: 'Usage reports',
    permissions: ['workspace_analytics_full_read', 'user_read', 'audit_log_read'],
    creditLimit: 0,
    expiresInDays: 90,
  },
];
