import { readingPreset } from '@app/domain/allow-lists/allow-list-preset';
import { readAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { atOnce } from '@app/domain/common/interruptible';
import { canonicalText } from '@app/domain/common/canonical-text';
import { readCsv } from '@app/domain/common/csv-records';
import { readEmailAddress } from '@app/domain/common/email-address';
import { checkExternalId, checkTag } from '@app/domain/common/tags';
import { parsePermissions } from '@app/domain/keys/permissions';
import { redactSecrets } from '@app/domain/keys/secret-text';
import { readKeyImport } from '@app/domain/keys/key-import';
import { readSearchTerms } from '@app/domain/search/search-terms';
import { Screening } from '@app/domain/voices/screening';
import { caselessPattern } from '@app/database/common/caseless';
import { timeCharacters } from '@app/voice-engine/character-times';
import { additionTo } from '@app/voice-engine/enhanced-description';
import { generatePreviewText } from '@app/voice-engine/preview-text';
import { seededRandom } from '@app/voice-engine/seeded-random';
import { estimatePiece } from '@app/voice-engine/speech-estimate';
import { speakableParts, speakableText, unspokenCharacters } from '@app/voice-engine/speakable-text';
import { sentenceEnds } from '@app/voice-engine/sentence-ends';
import { pieceByPiece, splitIntoPieces } from '@app/voice-engine/speech-pieces';
import { withoutMarkup } from '@app/voice-engine/spoken-markup';
import { understandDescription } from '@app/voice-engine/voice-description';
import { toCsvLine } from '../apps/api/src/http/csv';
import { readJson } from '../apps/api/src/http/json-text';
import { findUnstorableText } from '../apps/api/src/http/unstorable-text';
import { isProfane } from '../apps/api/src/screening/profanity';
import { readRequest } from '../apps/console/src/explain/read-request';
import { isShort } from './support/short';

/** What a text may consist of, again and again: every kind of character, and what a function takes for a beginning. */
const KINDS = [
  ['a', 'é', 'ø', 'ﷺ', 'م', '日', 'नि', '🎈', '👩‍👩‍👧', '\ud800', '\0', '\u0301', '\u0301\u0323', '\u202E'],
  [
    ' ',
    '\n',
    '\r',
    '\t',
    '\u00a0',
    '\u2028',
    '.',
    ',',
    '?!',
    "'",
    '"',
    '‹',
    ')”',
    '-',
    '–',
    '_',
    '/',
    '\\',
    '|',
    '#',
    '*',
  ],
  ['7', '7,', '7.', '5€', '€', '$', '½', '%', '=', '@', '&', '&#100;', '&amp;', ':', ';'],
  [
    '<',
    '>',
    '<b ',
    '<b a=',
    '<!',
    '<break time="1s"/>',
    '[',
    ']',
    '[a',
    '[a](b)',
    '[a](',
    '(',
    '{',
    '{"a":',
    '- a: ',
  ],
  [
    'a ',
    'ab',
    'ab\n',
    'x,',
    'Fog. ',
    'J. ',
    'not ',
    'very deep, ',
    'a.b@',
    '1.2.3.4 ',
    '::',
    'grk_',
    'wordword',
  ],
].flat();

const ENTRIES = ['scoundrel', 'wordwordwordx', 'abababababx', 'aaaaaab'].flatMap((text) =>
  (['blocked_words', 'blocked_anywhere', 'protected_names'] as const).map((list) => ({
    id: text + list,
    list,
    text,
    accountId: null,
  })),
);
const SCREENING = new Screening(ENTRIES);
const WORD_TIMES = Array.from({ length: 40_000 }, (_, index) => ({ startSecs: index, endSecs: index + 1 }));
const [SPOKEN, DESCRIBED, SEARCHED, BODY] = [40_000, 1_000, 200, 1_048_576];

/** Every function that reads a text which a request, a file or a form brings, with the longest text that it gets. */
const FUNCTIONS: Record<string, [limit: number, read: (text: string) => unknown]> = {
  'ends of sentences': [SPOKEN, (text) => [...sentenceEnds(text)]],
  'pieces to speak': [SPOKEN, (text) => splitIntoPieces(text)],
  'pieces for a speech server': [SPOKEN, (text) => splitIntoPieces(text, 'all')],
  'what speech takes': [
    SPOKEN,
    (text) => estimatePiece({ text, outputFormat: 'mp3_44100_128', timed: true }),
  ],
  'characters left out': [SPOKEN, unspokenCharacters],
  'times of characters': [2_000, (text) => timeCharacters(text, WORD_TIMES, 1)],
  'numbers and signs in words': [DESCRIBED, speakableText],
  'parts with silence between': [DESCRIBED, speakableParts],
  'text without markup': [DESCRIBED, (text) => withoutMarkup(text, (secs) => `[pause:${secs}s]`)],
  description: [DESCRIBED, understandDescription],
  'an enhanced description': [DESCRIBED, additionTo],
  'text for a description': [DESCRIBED, (text) => generatePreviewText(text, seededRandom('text', 1))],
  screening: [DESCRIBED, (text) => SCREENING.find(text, 'name', 'account')],
  profanity: [DESCRIBED, isProfane],
  'terms of a search': [SEARCHED, readSearchTerms],
  'a pattern of a search': [SEARCHED, caselessPattern],
  'e-mail address': [254, readEmailAddress],
  'external id': [SEARCHED, checkExternalId],
  tag: [SEARCHED, checkTag],
  permission: [SEARCHED, (text) => parsePermissions([text])],
  'text of an allow-list': [20_000, readAllowListText],
  'file of blocks': [BODY, (text) => atOnce(readingPreset(text))],
  'composed text': [BODY, canonicalText],
  'text that cannot be stored': [BODY, findUnstorableText],
  'text without secrets': [BODY, (text) => redactSecrets(text, '…')],
  JSON: [BODY, (text) => attempt(() => readJson(text))],
  'text in JSON': [BODY, (text) => readJson(JSON.stringify({ text }))],
  CSV: [BODY, readCsv],
  'CSV that is sent': [DESCRIBED, (text) => toCsvLine([text])],
  'file of keys of another system': [BODY, (text) => readKeyImport(`name,secret\n${text}`)],
  'pasted request': [
    100_000,
    (text) => readRequest(`curl /v1/text-to-speech/x -d '${JSON.stringify({ text })}'`),
  ],
};

/** So long a text is compared with its eighths. */
const CHARACTERS = 16_000;
/** Of a time that grows with the square, one text takes eight times as long as its eighths. */
const MOST = 3;
/** Less says nothing. */
const LEAST_MS = 1;
const ATTEMPTS = 6;

/** In the short suite each function reads a fourth of the kinds, and all of them together every kind. */
const kindsOf = (name: string) =>
  KINDS.filter((_, index) => !isShort() || (index + Object.keys(FUNCTIONS).indexOf(name)) % 4 === 0);

const longest = new Map<string, { ms: number; kind: string }>();

it.each(Object.entries(FUNCTIONS))('the time of reading %s grows with the text', (name, [limit, read]) => {
  const ratios = kindsOf(name).map((kind) => {
    const { ms, ratio } = growthOf(read, kind);
    const atLimit = (ms * limit) / CHARACTERS;
    if (atLimit >= (longest.get(name)?.ms ?? 0)) longest.set(name, { ms: atLimit, kind });
    return { kind, ratio };
  });
  expect(ratios.filter(({ ratio }) => ratio > MOST)).toEqual([]);
});

it('finds what it looks for', () => {
  const slow = (text: string) =>
    text.replace(/.{50}/g, (_, place: number) => text.slice(0, place).split('').join(''));
  expect(growthOf(slow, 'a').ratio).toBeGreaterThan(MOST);
  expect(growthOf((text) => text.normalize('NFC'), '\u0301\u0323').ratio).toBeGreaterThan(MOST);
});

it.each(KINDS)('the splitting of %j may be interrupted every 2,000 characters', (kind) => {
  const text = kind.repeat(CHARACTERS / kind.length);
  expect([...pieceByPiece(text, 'latin')].length).toBeGreaterThanOrEqual(Math.floor(text.length / 2_000));
});

afterAll(() => {
  const lines = [...longest].map(([name, { ms, kind }]) => {
    const limit = FUNCTIONS[name]![0].toLocaleString('en-GB');
    return `${name.padEnd(32)} ${limit.padStart(9)} characters ${ms.toFixed(1).padStart(7)} ms of ${JSON.stringify(kind)}`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
});

/** CPU time of one text, and how much more it takes than its eighths one by one; the least of several attempts. */
function growthOf(read: (text: string) => unknown, kind: string): { ms: number; ratio: number } {
  const textOf = (characters: number) => kind.repeat(Math.ceil(characters / kind.length));
  const [whole, eighth] = [textOf(CHARACTERS), textOf(CHARACTERS / 8)];
  let [wholeMs, eighthsMs] = [Infinity, Infinity];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const ms = cpuMs(() => read(whole));
    wholeMs = Math.min(wholeMs, ms);
    if (wholeMs < LEAST_MS) break;
    const all = cpuMs(() => Array.from({ length: 8 }, () => read(eighth)));
    eighthsMs = Math.min(eighthsMs, all);
    if (wholeMs < eighthsMs * MOST) break;
  }
  return { ms: wholeMs, ratio: wholeMs < LEAST_MS ? 1 : wholeMs / eighthsMs };
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}
