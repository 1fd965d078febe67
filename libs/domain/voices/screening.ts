import type { Interruptible } from '../common/interruptible';
import { CONFUSABLES, DIGITS_AS_LETTERS } from './confusables';

/** The lists that staff keep. */
export const SCREENING_LISTS = ['blocked_words', 'blocked_anywhere', 'protected_names'] as const;

/**
 * `blocked_words`: as whole words, in names, descriptions and texts to speak. `blocked_anywhere`: also inside of words.
 * `protected_names`: as whole words in names of voices, but for the account that may use them.
 */
export type ScreeningList = (typeof SCREENING_LISTS)[number];

/** What is screened: `name` is that of a voice. */
export type ScreenedField = 'name' | 'description' | 'text';

export interface ScreeningEntry {
  id: string;
  list: ScreeningList;
  text: string;
  /** The account that may use a protected name. */
  accountId: string | null;
}

interface Phrase {
  entry: ScreeningEntry;
  /** Its letters, without the spaces between words. */
  runs: Runs;
  words: number;
}

/** Words that are joined to find an entry that was written letter by letter, some of them again and again: twice the longest entry. */
const MAX_JOINED = 200;
/** After so many, others may have their turn. */
const [JOINED_AT_ONCE, ENTRIES_AT_ONCE] = [1_000, 100];
/** A shorter entry is not looked for in words with spaces within: `the pen is` has none that is meant. */
const MIN_BROKEN = 5;

/** A text with each run of a letter as one, and how long the runs are. */
interface Runs {
  letters: string;
  counts: readonly number[];
}

/** Entries, prepared for looking into many texts. */
export class Screening {
  private readonly phrases = new Map<string, Phrase[]>();
  private readonly anywhere: Phrase[] = [];
  /** The first letters of each phrase, and all of them: words are joined only as long as they may become one. */
  private readonly beginnings = new Set<string>();

  constructor(entries: readonly ScreeningEntry[]) {
    for (const entry of entries) this.add(entry);
  }

  /**
   * The first entry that a text has, spelled as in the list or in a way that looks or reads like it; null when it has none.
   *
   * @param accountId whose text it is
   */
  *finding(text: string, field: ScreenedField, accountId: string): Interruptible<ScreeningEntry | null> {
    const applies = ({ entry }: Phrase) =>
      entry.list !== 'protected_names' || (field === 'name' && entry.accountId !== accountId);
    for (const reading of readingsOf(text)) {
      yield;
      const chunks = chunksOf(reading);
      for (const words of [wordsOf(reading), chunks]) {
        const found = yield* this.findingIn(words.map(runsOf), applies);
        if (found) return found;
      }
      const whole = runsOf(chunks.join(' '));
      for (const [index, { entry, runs }] of this.anywhere.entries()) {
        if (index % ENTRIES_AT_ONCE === 0) yield;
        if (includes(whole, runs)) return entry;
      }
    }
    return null;
  }

  private *findingIn(
    words: readonly Runs[],
    applies: (phrase: Phrase) => boolean,
  ): Interruptible<ScreeningEntry | null> {
    let since = 0;
    for (let start = 0; start < words.length; start++) {
      if (since >= JOINED_AT_ONCE) {
        since = 0;
        yield;
      }
      let joined = NO_RUNS;
      let single = true;
      for (let end = start; end < Math.min(words.length, start + MAX_JOINED); end++) {
        const word = words[end]!;
        since += 1;
        joined = join(joined, word);
        if (!this.beginnings.has(joined.letters)) break;
        single &&= word.letters.length === 1;
        const count = end - start + 1;
        const found = this.phrases
          .get(joined.letters)
          ?.find(
            (phrase) =>
              (count === 1 || single || count === phrase.words || phrase.runs.letters.length >= MIN_BROKEN) &&
              lastsAsLong(joined, phrase.runs, 0) &&
              applies(phrase),
          );
        if (found) return found.entry;
      }
    }
    return null;
  }

  private add(entry: ScreeningEntry): void {
    const words = wordsOf(withoutPairs(skeletonOf(entry.text)));
    const runs = runsOf(words.join(''));
    const { letters } = runs;
    if (letters === '') return;
    const phrase = { entry, runs, words: words.length };
    if (entry.list === 'blocked_anywhere') this.anywhere.push(phrase);
    this.phrases.set(letters, [...(this.phrases.get(letters) ?? []), phrase]);
    for (let length = 1; length <= letters.length; length++) this.beginnings.add(letters.slice(0, length));
  }
}

const NO_RUNS: Runs = { letters: '', counts: [] };

function runsOf(text: string): Runs {
  const letters: string[] = [];
  const counts: number[] = [];
  for (const letter of text.split('')) {
    if (letters.at(-1) === letter) counts[counts.length - 1]! += 1;
    else {
      letters.push(letter);
      counts.push(1);
    }
  }
  return { letters: letters.join(''), counts };
}

/** The runs of two texts written as one. */
function join(a: Runs, b: Runs): Runs {
  if (a.letters === '') return b;
  if (!a.letters.endsWith(b.letters.charAt(0)))
    return { letters: a.letters + b.letters, counts: [...a.counts, ...b.counts] };
  const shared = a.counts.at(-1)! + b.counts[0]!;
  return {
    letters: a.letters + b.letters.slice(1),
    counts: [...a.counts.slice(0, -1), shared, ...b.counts.slice(1)],
  };
}

/** Whether a text has an entry with some letters written more often. */
function includes(text: Runs, entry: Runs): boolean {
  for (
    let at = text.letters.indexOf(entry.letters);
    at !== -1;
    at = text.letters.indexOf(entry.letters, at + 1)
  )
    if (lastsAsLong(text, entry, at)) return true;
  return false;
}

/** Whether every run of a text from a place on is at least as long as that of an entry: `goood` has `good`, and `god` does not. */
function lastsAsLong(text: Runs, entry: Runs, at: number): boolean {
  return entry.counts.every((count, place) => text.counts[at + place]! >= count);
}

/**
 * A text as it reads: compatibility forms, accents, invisible characters and case are gone, and letters of other scripts that
 * look like Latin ones are those (after the skeletons of Unicode Technical Standard #39).
 */
export function skeletonOf(text: string): string {
  // Before the compatibility forms, too: they make another letter of some that look like Latin ones, and take a time that
  // grows with the square of how many marks stand together.
  const plain = asLatin(text)
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .normalize('NFD')
    .replace(INVISIBLE, '');
  return asLatin(plain).toLowerCase();
}

function asLatin(text: string): string {
  return [...text]
    .map((char) => {
      const twin = CONFUSABLES.get(char.toLowerCase()) ?? CONFUSABLES.get(char.toUpperCase());
      return CONFUSABLES.get(char) ?? twin ?? char;
    })
    .join('');
}

const INVISIBLE = /[\p{M}\p{Cf}\p{Cc}\u115F\u1160\u3164\uFFA0]/gu;

/**
 * A text as it is written and as it is read: with its character references (`&#100;`, `&eacute;`) as characters, without what
 * stands in angle or square brackets, and with what a right-to-left override shows reversed in the order in which it is shown.
 */
export function appearancesOf(text: string): Set<string> {
  const decoded = text
    .replace(/&(?:amp|lt|gt);/gi, (name) => SIGNS[name.toLowerCase()]!)
    .replace(/&#(?:x([\da-f]{1,6})|(\d{1,7}));?/gi, (_, hex?: string, decimal?: string) =>
      characterOf(hex ? parseInt(hex, 16) : Number(decimal)),
    )
    .replace(
      /&([a-z])?(?:acute|breve|caron|cedil|circ|dot|grave|macr|ogon|ring|slash|strok|tilde|uml);/gi,
      '$1',
    )
    .replace(/&[a-z]{2,20};/gi, '');
  const spoken = decoded.replace(/<[^<>]*>|\[[^[\]]*\]/g, '');
  const shown = spoken.replace(/\u202E([^\u202C\u2069\n]*)/g, (_, span: string) =>
    [...span].toReversed().join(''),
  );
  return new Set([text, decoded, spoken, shown]);
}

const SIGNS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/**
 * The ways to read a text, each once: as it is, and with its digits and signs as letters; `1` is an i or an l. Also without the letters
 * of other scripts, which engines leave out.
 */
function* readingsOf(text: string): Generator<string, void> {
  const seen = new Set<string>();
  for (const appearance of appearancesOf(text)) {
    const skeleton = withoutPairs(skeletonOf(appearance));
    for (const each of [skeleton, asLetters(skeleton, 'i'), asLetters(skeleton, 'l')])
      for (const reading of [each, each.replace(/[^\P{L}\p{Script=Latin}]/gu, '')]) {
        if (seen.has(reading)) continue;
        seen.add(reading);
        yield reading;
      }
  }
}

/** Two letters that look like one are that one. */
function withoutPairs(skeleton: string): string {
  return skeleton.replaceAll('rn', 'm').replaceAll('vv', 'w');
}

function asLetters(skeleton: string, one: string): string {
  return [...skeleton].map((char) => (ONES.has(char) ? one : (DIGITS_AS_LETTERS.get(char) ?? char))).join('');
}

const ONES = new Set(['1', '!', '|']);

/** Runs of letters and digits. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** What stands between spaces, without signs: `f.o.o` is `foo`. */
function chunksOf(text: string): string[] {
  return text
    .split(/\s+/u)
    .map((chunk) => wordsOf(chunk).join(''))
    .filter((chunk) => chunk !== '');
}
