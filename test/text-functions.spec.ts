import { readingPreset } from '@app/domain/allow-lists/allow-list-preset';
import { readingAllowListText } from '@app/domain/allow-lists/allow-list-text';
import { atOnce, type Interruptible } from '@app/domain/common/interruptible';
import { canonicalText } from '@app/domain/common/canonical-text';
import { readingCsv } from '@app/domain/common/csv-records';
import { readEmailAddress } from '@app/domain/common/email-address';
import { readText } from '@app/domain/common/text-file';
import { checkExternalId, checkTag } from '@app/domain/common/tags';
import { parsePermissions } from '@app/domain/keys/permissions';
import { redactSecrets } from '@app/domain/keys/secret-text';
import { readingKeyImport } from '@app/domain/keys/key-import';
import { readSearchTerms } from '@app/domain/search/search-terms';
import { Screening } from '@app/domain/voices/screening';
import { caselessPattern } from '@app/database/common/caseless';
import { timeCharacters } from '@app/voice-engine/character-times';
import { additionTo } from '@app/voice-engine/enhanced-description';
import { generatePreviewText } from '@app/voice-engine/preview-text';
import { seededRandom } from '@app/voice-engine/seeded-random';
import { estimatePiece } from '@app/voice-engine/speech-estimate';
import type { SpokenScripts } from '@app/voice-engine/speakable-text';
import { speakableParts, speakableText, unspokenCharacters } from '@app/voice-engine/speakable-text';
import { sentenceEnds } from '@app/voice-engine/sentence-ends';
import { pieceByPiece } from '@app/voice-engine/speech-pieces';
import { withoutMarkup } from '@app/voice-engine/spoken-markup';
import { understandDescription } from '@app/voice-engine/voice-description';
import { toCsvLine } from '../apps/api/src/http/csv';
import { readJson } from '../apps/api/src/http/json-text';
import { findUnstorableText } from '../apps/api/src/http/unstorable-text';
import { findingProfanity } from '../apps/api/src/screening/profanity';
import { readRequest } from '../apps/console/src/explain/read-request';
import { isShort } from './support/short';

/** What a text may consist of, again and again: every kind of character, and what a function takes for a beginning. */
const KINDS = [
  [
    'a',
    'é',
    'ø',
    'ﷺ',
    'م',
    '日',
    'नि',
    'e\u0301',
    '🎈',
    '👩‍👩‍👧',
    '\ud800',
    '\0',
    '\u0301',
    '\u0301\u0323',
    '\u202E',
  ],
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
    '"x",',
    '""',
    'k,abcdefghijklmnop\n',
    '192.0.2.1 - 192.0.2.2; ',
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
const [SPOKEN, DESCRIBED, SEARCHED] = [40_000, 1_000, 200];
/** In JSON, of the characters of a kind; others are numbers of characters. */
const BODY = '1 MiB';

type Limit = number | typeof BODY;

/** Every function that reads a text which a request, a file or a form brings, with the longest text that it gets. */
const FUNCTIONS: Record<string, [limit: Limit, read: (text: string) => unknown]> = {
  'ends of sentences': [SPOKEN, (text) => [...sentenceEnds(text)]],
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
  'terms of a search': [SEARCHED, readSearchTerms],
  'a pattern of a search': [SEARCHED, caselessPattern],
  'e-mail address': [254, readEmailAddress],
  'external id': [SEARCHED, checkExternalId],
  tag: [SEARCHED, checkTag],
  permission: [SEARCHED, (text) => parsePermissions([text])],
  'composed text': [BODY, canonicalText],
  'text of a file': [BODY, (text) => attempt(() => readText(text))],
  'text that cannot be stored': [BODY, findUnstorableText],
  'text without secrets': [BODY, (text) => redactSecrets(text, '…')],
  JSON: [BODY, (text) => attempt(() => readJson(text))],
  'text in JSON': [BODY, (text) => readJson(JSON.stringify({ text }))],
  'CSV that is sent': [DESCRIBED, (text) => toCsvLine([text])],
  'pasted request': [
    100_000,
    (text) => readRequest(`curl /v1/text-to-speech/x -d '${JSON.stringify({ text })}'`),
  ],
};

/** Those that let others have the event loop in between. */
const IN_TURNS: Record<string, [limit: Limit, reading: (text: string) => Interruptible<unknown>]> = {
  'pieces to speak': [SPOKEN, (text) => splitting(text, 'latin')],
  'pieces for a speech server': [SPOKEN, (text) => splitting(text, 'all')],
  screening: [DESCRIBED, (text) => SCREENING.finding(text, 'name', 'account')],
  profanity: [DESCRIBED, findingProfanity],
  'text of an allow-list': [20_000, readingAllowListText],
  'file of blocks': [BODY, readingPreset],
  CSV: [BODY, readingCsv],
  'file of keys of another system': [BODY, (text) => readingKeyImport(`name,secret\n${text}`)],
};

function* splitting(text: string, scripts: SpokenScripts): Interruptible<void> {
  for (const _ of pieceByPiece(text, scripts)) yield;
}

const ALL = [
  ...Object.entries(FUNCTIONS),
  ...Object.entries(IN_TURNS).map(
    ([name, [limit, reading]]) => [name, [limit, (text: string) => atOnce(reading(text))]] as const,
  ),
];

/** So long a text is compared with its eighths. */
const CHARACTERS = 16_000;
/** Of a time that grows with the square, one text takes eight times as long as its eighths. */
const MOST = 4;
/** Less says nothing: one collection of garbage takes as long. What grows with the square takes far more. */
const LEAST_MS = 10;
const ATTEMPTS = 6;

/** In the short suite each function reads a fourth of the kinds, and all of them together every kind. */
const kindsOf = (name: string) =>
  KINDS.filter((_, index) => !isShort() || (index + ALL.findIndex(([each]) => each === name)) % 4 === 0);

const longest = new Map<string, { ms: number; kind: string }>();
/** Others may take minutes at their limits. */
const linear = new Set<string>();

it.each(ALL)('the time of reading %s grows with the text', (name, [limit, read]) => {
  const ratios = kindsOf(name).map((kind) => {
    const { ms, ratio } = growthOf(read, kind);
    const atLimit = (ms * charactersOf(kind, limit)) / CHARACTERS;
    if (atLimit >= (longest.get(name)?.ms ?? 0)) longest.set(name, { ms: atLimit, kind });
    return { kind, ratio };
  });
  expect(ratios.filter(({ ratio }) => ratio > MOST)).toEqual([]);
  linear.add(name);
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

/** Of the kind that takes longest, texts of an eighth of the limit, twice as much, and so on. */
afterAll(() => {
  if (isShort()) return;
  const lines = ALL.filter(([name]) => linear.has(name)).map(([name, [limit, read]]) => {
    const { kind } = longest.get(name)!;
    const characters = charactersOf(kind, limit);
    const texts = [8, 4, 2, 1].map((part) => textOf(kind, Math.ceil(characters / part)));
    const took = texts.map((text) => Math.min(...[1, 2].map(() => cpuMs(() => read(text)))).toFixed(1));
    const reading = IN_TURNS[name]?.[1];
    const steps = reading && texts.map((text) => stepsOf(reading(text)));
    const turns = steps
      ? `${steps.map(({ length }) => length).join(', ')} steps of at most ${Math.max(...steps.at(-1)!).toFixed(1)} ms`
      : '';
    return `| ${name} | ${characters.toLocaleString('en-GB')} characters of ${JSON.stringify(kind)} | ${took.join(', ')} ms | ${turns} |`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
});

/** Milliseconds of each step. */
function stepsOf(work: Interruptible<unknown>): number[] {
  const took: number[] = [];
  for (;;) {
    let done: boolean | undefined;
    took.push(cpuMs(() => ({ done } = work.next())));
    if (done) return took;
  }
}

function textOf(kind: string, characters: number): string {
  return kind.repeat(Math.ceil(characters / kind.length));
}

function charactersOf(kind: string, limit: Limit): number {
  if (limit !== BODY) return limit;
  return Math.floor(1_048_576 / (Buffer.byteLength(JSON.stringify(kind)) - 2)) * kind.length;
}

/** CPU time of one text, and how much more it takes than its eighths one by one; the least of several attempts. */
function growthOf(read: (text: string) => unknown, kind: string): { ms: number; ratio: number } {
  const [whole, eighth] = [textOf(kind, CHARACTERS), textOf(kind, CHARACTERS / 8)];
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
