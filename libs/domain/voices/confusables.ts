/**
 * Letters that look like Latin ones, as the Latin letter in lower case: the commonest of Cyrillic, Greek, Armenian, Cherokee
 * and Latin itself that NFKC leaves as they are. A selection by eye, and not all that confusables.txt of Unicode Technical
 * Standard #39 has.
 */
const LOOK_ALIKE: Record<string, string> = {
  a: 'аαɑⲁ𐊠ꭺᎪᗅАΑ',
  b: 'вЬᏴᛒꞴβƄБВΒ',
  c: 'сϲⅽᏟⲤꮯʗСϹ',
  d: 'ԁɗᎠᗞꭰđ',
  e: 'еεєҽᎬⴹꬲҿ℮ɛЕΕ',
  f: 'ϝƒꞘẝք',
  g: 'ɡցᏀɢԌ',
  h: 'һհнηᎻᏂħНΗ',
  i: 'іιıɩӏꙇᎥƖІΙ',
  j: 'јϳᎫʝЈ',
  k: 'кκᏦⲔԟКΚ',
  l: 'ⅼłᏞʟ',
  m: 'мⅿᎷϺⲘʍМΜ',
  n: 'пոռɴΝŋ',
  o: 'оοօσ०੦૦௦౦೦൦၀ⲟᴏøഠОΟ',
  p: 'рρᏢⲣþРΡ',
  q: 'ԛգզʠ',
  r: 'гᎡꭈɼᴦ',
  s: 'ѕꜱʂᏚՏƽЅ',
  t: 'тτᎢⲧŧТΤ',
  u: 'υսʋᴜц',
  v: 'ѵνᴠᏙⅴ',
  w: 'ԝωшщᴡᎳѡա',
  x: 'хχⅹ᙮ⲭ×ХΧ',
  y: 'уγүʏყⲨУΥ',
  z: 'ᴢʐᏃꮓΖ',
};

/** Each such letter with the Latin one. */
export const CONFUSABLES: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKE).flatMap(([latin, letters]) =>
    [...letters].map((letter): [string, string] => [letter, latin]),
  ),
);

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
