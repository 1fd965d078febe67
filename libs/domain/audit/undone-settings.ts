import { UNDONE_OF_ACCOUNTS } from '../accounts/account-fields';
import { UNDONE_FIELDS } from '../keys/key-fields';

/** The settings of a budget whose last change can be undone, also automatically. */
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
