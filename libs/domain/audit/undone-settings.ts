import { UNDONE_FIELDS } from '../keys/key-fields';

/** The settings of an account whose last change can be undone, also automatically, with the names of the audit log. */
export const UNDONE_OF_ACCOUNTS = [
  'tier',
  'credit_limit_override',
  'voice_limit_override',
  'concurrency_limit_override',
] as const;

/** The same of a budget: of an account, a key, a tag or each end user. */
export const UNDONE_OF_BUDGETS = ['amount'] as const;

/** Every setting of something that the store of undos knows, by what has it. */
export const UNDONE_SETTINGS = {
  key: UNDONE_FIELDS,
  account: [...UNDONE_OF_ACCOUNTS, 'allowed_ips'],
  budget: UNDONE_OF_BUDGETS,
} as const;

/** What has settings whose last change can be undone. */
export type UndoneOwner = keyof typeof UNDONE_SETTINGS;

export type UndoneSetting<Owner extends UndoneOwner = UndoneOwner> = (typeof UNDONE_SETTINGS)[Owner][number];

export type UndoneOfAccount = (typeof UNDONE_OF_ACCOUNTS)[number];
