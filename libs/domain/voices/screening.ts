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

/** An entry that a text has. */
export interface ScreeningHit {
  entry: ScreeningEntry;
  field: ScreenedField;
}

interface Phrase {
  entry: ScreeningEntry;
  /** Its letters, without the spaces between words. */
  letters: string;
  words: number;
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
  find(text: string, field: ScreenedField, accountId: string): ScreeningEntry | null {
    const applies = ({ entry }: Phrase) =>
      entry.list !== 'protected_names' || (field === 'name' && entry.accountId !== accountId);
    for (const reading of readingsOf(text)) {
      for (const words of [wordsOf(reading), chunksOf(reading)]) {
        const found = this.findIn(words, applies);
        if (found) return found;
      }
      const chunks = chunksOf(reading).join(' ');
      const inside = this.anywhere.find(({ letters }) => chunks.includes(letters));
      if (inside) return inside.entry;
    }
    return null;
  }

  private findIn(words: string[], applies: (phrase: Phrase) => boolean): ScreeningEntry | null {
    for (let start = 0; start < words.length; start++) {
      let joined = '';
      let single = true;
      for (let end = start; end < words.length; end++) {
        joined += words[end]!;
        if (!this.beginnings.has(joined)) break;
        single &&= words[end]!.length === 1;
        const count = end - start + 1;
        const found = this.phrases
          .get(joined)
          ?.find((phrase) => (count === 1 || single || count === phrase.words) && applies(phrase));
        if (found) return found.entry;
      }
    }
    return null;
  }

  private add(entry: ScreeningEntry): void {
    const words = wordsOf(skeletonOf(entry.text));
    const letters = words.join('');
    if (letters === '') return;
    const phrase = { entry, letters, words: words.length };
    if (entry.list === 'blocked_anywhere') this.anywhere.push(phrase);
    this.phrases.set(letters, [...(this.phrases.get(letters) ?? []), phrase]);
    for (let length = 1; length <= letters.length; length++) this.beginnings.add(letters.slice(0, length));
  }
}

/**
 * A text as it reads: compatibility forms, accents, invisible characters and case are gone, and letters of other scripts that
 * look like Latin ones are those (after the skeletons of Unicode Technical Standard #39).
 */
export function skeletonOf(text: string): string {
  // Before the compatibility forms, too: they make another letter of some that look like Latin ones.
  const plain = asLatin(text).normalize('NFKC').normalize('NFD').replace(INVISIBLE, '');
  return asLatin(plain).toLowerCase();
}

function asLatin(text: string): string {
  return [...text]
    .map((char) => CONFUSABLES.get(char) ?? CONFUSABLES.get(char.toLowerCase()) ?? char)
    .join('');
}

const INVISIBLE = /[\p{M}\p{Cf}\p{Cc}\u115F\u1160\u3164\uFFA0]/gu;

/** The ways to read a skeleton: as it is, and with its digits and signs as letters; `1` is an i or an l. Long runs of a letter are one. */
function readingsOf(text: string): Set<string> {
  const skeleton = skeletonOf(text);
  const readings = [skeleton, ...['i', 'l'].map((one) => asLetters(skeleton, one))];
  return new Set(readings.flatMap((reading) => [reading, reading.replace(/(.)\1{2,}/gu, '$1')]));
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
