import { dictionary } from '@zxcvbn-ts/language-common';

/** The 49,000 passwords that are used most, in lower case, by zxcvbn. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(dictionary['passwords-common']);
