/** Shorter passwords are refused (NIST SP 800-63B, 3.1.1.2: length and a blocklist, no composition rules). */
export const MIN_PASSWORD_LENGTH = 12;
/** Long enough for any passphrase, short enough to hash. */
export const MAX_PASSWORD_LENGTH = 200;

/** Phrases that every list of guesses has, though lists of short passwords do not. */
const COMMON_PHRASES = new Set([
  'correcthorsebatterystaple',
  'iloveyouforever',
  'manchesterunited',
  'thequickbrownfox',
  'thequickbrownfoxjumpsoverthelazydog',
]);

/** What a password must not be derived from. */
interface PasswordOwner {
  email: string;
  name: string;
}

/**
 * Why a password is not accepted, or null when it is.
 *
 * @param password as typed; length counts characters, not bytes
 * @param owner a password derived from their name or e-mail address is refused
 * @param common passwords that are used most, in lower case: none of them is accepted, however often repeated or whichever
 *   digits stand around it
 */
export function passwordProblem(
  password: string,
  owner: PasswordOwner,
  common: ReadonlySet<string>,
): string | null {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH) return `is shorter than ${MIN_PASSWORD_LENGTH} characters`;
  if (length > MAX_PASSWORD_LENGTH) return `is longer than ${MAX_PASSWORD_LENGTH} characters`;
  const plain = plainOf(password);
  if (new Set(password).size < 5 || isCommon(plain, common)) return 'is among the first that are guessed';
  if (withoutOwnWords(plain, owner).length < MIN_PASSWORD_LENGTH / 2)
    return 'is derived from your name, your e-mail address or the name of this product';
  return null;
}

function isCommon(plain: string, common: ReadonlySet<string>): boolean {
  const forms = [plain, unrepeated(plain), unrepeated(plain.replace(/^\p{N}+|(?<!\p{N})\p{N}+$/gu, ''))];
  return forms.some((form) => form === '' || common.has(form) || COMMON_PHRASES.has(form));
}

/** What a text repeats, or the text itself. */
function unrepeated(text: string): string {
  const period = (text + text).indexOf(text, 1);
  return text.slice(0, period);
}

function withoutOwnWords(plain: string, { email, name }: PasswordOwner): string {
  const words = ['greenroom', ...wordsOf(email), ...wordsOf(name)]
    .filter((word) => word.length > 2)
    .toSorted((a, b) => b.length - a.length);
  return words.reduce((rest, word) => rest.replaceAll(word, ''), plain);
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

/** In lower case and without what is not a letter or digit. */
function plainOf(password: string): string {
  return password
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
