/** Shorter passwords are refused (NIST SP 800-63B, 3.1.1.2: length and a blocklist, no composition rules). */
export const MIN_PASSWORD_LENGTH = 12;
/** Long enough for any passphrase, short enough to hash. */
export const MAX_PASSWORD_LENGTH = 200;

/** Long passwords that stand in every list of guesses; compared in lower case and without what is not a letter or digit. */
const COMMON = new Set([
  '123456789012',
  '1234567890123',
  '123123123123',
  '111111111111',
  '000000000000',
  '121212121212',
  'qwertyuiop12',
  'qwertyuiopas',
  'qwertyuiop123',
  '1qaz2wsx3edc',
  '1q2w3e4r5t6y',
  'abcdefghijkl',
  'abc123abc123',
  'password1234',
  'password12345',
  'password123456',
  'passwordpassword',
  'passw0rd1234',
  'p4ssw0rd1234',
  'administrator',
  'administrator1',
  'admin1234567',
  'adminadminadmin',
  'changemechangeme',
  'changeme1234',
  'correcthorsebatterystaple',
  'iloveyou1234',
  'iloveyouforever',
  'letmein12345',
  'letmeinletmein',
  'welcome12345',
  'welcome123456',
  'trustno1trustno1',
  'unbelievable',
  'thequickbrownfox',
  'football1234',
  'manchesterunited',
  'princess1234',
]);

/**
 * Why a password is not accepted, or null when it is.
 *
 * @param password as typed; length counts characters, not bytes
 * @param email of its owner: a password made of it is refused
 */
export function passwordProblem(password: string, email: string): string | null {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return `is shorter than ${MIN_PASSWORD_LENGTH} characters`;
  if (length > MAX_PASSWORD_LENGTH) return `is longer than ${MAX_PASSWORD_LENGTH} characters`;
  const plain = password.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  if (new Set(password).size < 5 || COMMON.has(plain)) return 'is among the first that are guessed';
  if (withoutOwnWords(plain, email).length < MIN_PASSWORD_LENGTH / 2)
    return 'is made of the e-mail address or of the name of this product';
  return null;
}

function withoutOwnWords(plain: string, email: string): string {
  const words = ['greenroom', ...email.toLowerCase().split(/[^\p{L}\p{N}]+/u)].filter(
    (word) => word.length > 3,
  );
  return words.reduce((rest, word) => rest.replaceAll(word, ''), plain);
}
