import { UNICODE_CONFUSABLES } from './confusables.data';

/**
 * Letters that are read as Latin ones and that Unicode's table does not have as such, as the Latin letter in lower case: small
 * capitals, letters with a stroke or a hook, and the commonest of Cyrillic, Greek and Cherokee. A selection by eye; it comes before the table.
 */
const LOOK_ALIKE: Record<string, string> = {
  a: 'ⲁᴀᏗ',
  b: 'ᛒБʙᏰ',
  c: 'ʗᏣ',
  d: 'ɗđᴅðᎴ',
  e: 'єҿɛᴇᏋ',
  f: 'ƒꜰ',
  g: 'ɢᎶ',
  h: 'ħʜ',
  i: 'ƖІΙ',
  j: 'ᴊᏠ',
  k: 'ԟᴋ',
  l: 'łʟᏝ',
  m: 'ʍᴍ',
  n: 'пɴŋᏁ',
  o: 'øᎾᎧ',
  p: 'þᴘᎮ',
  q: 'ʠꞯ',
  r: 'ɼ',
  s: 'ʂ',
  t: 'ŧᴛᏖ',
  u: 'цᏌ',
  w: 'ωшщᏇ',
  z: 'ʐ',
};

/** Where the capital letters A to Z in white on black begin, circled and squared, and those that flags consist of. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];

/** Each letter that looks like a Latin one or a digit, with that. */
export const CONFUSABLES: ReadonlyMap<string, string> = new Map([
  ...pairsOf(UNICODE_CONFUSABLES),
  ...pairsOf(LOOK_ALIKE),
  ...ALPHABETS.flatMap((first) =>
    [...'abcdefghijklmnopqrstuvwxyz'].map((latin, place): Pair => [
      String.fromCodePoint(first + place),
      latin,
    ]),
  ),
]);

type Pair = [letter: string, latin: string];

function pairsOf(table: Record<string, string>): Pair[] {
  return Object.entries(table).flatMap(([latin, letters]) =>
    [...letters].map((letter): Pair => [letter, latin]),
  );
}

/** Digits and signs that are written for letters; `1`, `!` and `|` stand for two. */
export const DIGITS_AS_LETTERS: ReadonlyMap<string, string> = new Map([
  ['0', 'o'],
  ['2', 'z'],
  ['3', 'e'],
  ['4', 'a'],
  ['5', 's'],
  ['6', 'g'],
  ['7', 't'],
  ['8', 'b'],
  ['9', 'g'],
  ['@', 'a'],
  ['$', 's'],
  ['€', 'e'],
  ['+', 't'],
  ['(', 'c'],
]);
