import { transliterate } from 'transliteration';
import { readAmounts } from './spoken-amounts';
import { blankMarkup, pausesIn, splitAtPauses, type PausedText } from './spoken-markup';

/** Two minutes at an ordinary pace. Prose of 1,000 characters weighs at most 1,000. */
const MAX_WEIGHT = 2_000;
/** What a weight of 1 takes to say. */
export const SECS_PER_WEIGHT = 0.06;
const SPELLED_OUT_WEIGHT = 5;
/** Numbers are said as words: 7,777,777 takes as long as a short sentence. */
const DIGIT_WEIGHT = 9;
/** An ideograph is a syllable or a word. */
const IDEOGRAPH_WEIGHT = 4;
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Letters that the library writes with a sign. */
const LETTERS = { replace: { ə: 'e', Ə: 'E' } };

/** What an engine can read: `latin` is English and what can be written in its letters, `all` is left to the engine. */
export type SpokenScripts = 'latin' | 'all';

/** Whether an engine can speak anything of a text. */
export function isSpeakable(text: string, scripts: SpokenScripts): boolean {
  return scripts === 'all' ? /[\p{L}\p{N}]/u.test(blankMarkup(text)) : speakableText(text) !== '';
}

/**
 * The part of a text that the embedded engine can say: no markup (`<break/>`, `[laughs]`), no control characters,
 * emoji or other scripts, Latin letters in the 26 of English, amounts and symbols in words, no quotes or brackets, runs of
 * punctuation cut to one mark (long ones crash Flite's tokenizer). Applying it twice changes nothing more.
 *
 * Digits, symbols and words without a vowel are read out one by one and take several times as long as prose; what
 * would go beyond about two minutes of speech is left out.
 *
 * @returns an empty string when nothing of the text can be spoken; the caller refuses such a text
 */
export function speakableText(text: string): string {
  return withinWeight(toSpeakable(text), MAX_WEIGHT);
}

/** The same in parts, with the silence that the text requests between them. Parts without a word are silence alone. */
export function speakableParts(text: string): PausedText[] {
  let left = MAX_WEIGHT;
  const parts = splitAtPauses(text).map(({ text: part, pauseSecs }) => {
    const spoken = withinWeight(toSpeakable(part), left);
    const silence = Math.min(pauseSecs, Math.max(0, left) * SECS_PER_WEIGHT);
    left -= speechWeight(spoken) + silence / SECS_PER_WEIGHT;
    return { text: spoken, pauseSecs: silence };
  });
  return parts.filter((part) => part.text !== '' || part.pauseSecs > 0);
}

/** The letters, digits and symbols of a text that the embedded engine leaves out, each once, in order. */
export function unspokenCharacters(text: string): string[] {
  const characters = new Set(blankMarkup(text).match(/[\p{L}\p{N}\p{S}]/gu));
  return [...characters].filter((character) => toSpeakable(character) === '');
}

function toSpeakable(text: string): string {
  const plain = foldCharacters(blankMarkup(text)).trim();
  const cleanUp = plain
    .replace(/[^A-Za-z0-9]+/g, (run, at: number) => (at === 0 ? prefix(run) : joint(run)))
    .trim();
  return /[A-Za-z0-9]/.test(cleanUp) ? cleanUp : '';
}

/** What stands between two words: one mark, a space, and the sign of a following amount. */
function joint(run: string): string {
  if (run.length === 1) return /\s/.test(run) ? ' ' : run;
  const mark = /[.!?;:,]/.exec(run)?.[0] ?? '';
  return `${mark} ${prefix(run)}`;
}

function prefix(run: string): string {
  return run.endsWith('$') ? '$' : '';
}

function foldCharacters(text: string): string {
  return (
    readAmounts(text)
      // Before, too: the time of sorting them grows with the square of how many stand together.
      .replace(/\p{M}/gu, '')
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[‘’‛]/g, "'")
      .replace(/[–—―]/g, ', ')
      .replace(/(?![A-Za-z])\p{Script=Latin}/gu, (letter) => transliterate(letter, LETTERS))
      .replace(/[^A-Za-z0-9\s.,;:!?'$/-]|(?<!\d)\/|\/(?!\d)/gu, ' ')
  );
}

/** How long a text takes to say, in letters of prose: digits, symbols and words without a vowel count for several. */
export function speechWeight(text: string): number {
  const words = blankMarkup(text).split(/\s+/);
  return words.reduce((sum, word) => sum + spokenWeight(word), pausesIn(text) / SECS_PER_WEIGHT);
}

function withinWeight(text: string, max: number): string {
  let left = max;
  const words = text.split(' ').map((word) => word.slice(0, Math.ceil(MAX_WEIGHT / SPELLED_OUT_WEIGHT)));
  const end = words.findIndex((word) => (left -= spokenWeight(word)) < 0);
  return (end < 0 ? words : words.slice(0, Math.max(max === MAX_WEIGHT ? 1 : 0, end))).join(' ');
}

function spokenWeight(word: string): number {
  const letters = word.match(/\p{L}/gu)?.length ?? 0;
  const ideographs = word.match(IDEOGRAPHS)?.length ?? 0;
  const spelled = /[aeiouy]/i.test(word) ? 0 : (word.match(/[A-Za-z]/g)?.length ?? 0);
  const digits = word.replace(/[^0-9]/g, '').length;
  const symbols = word.replace(/[\p{L}\p{M}0-9.,;:!?'"()-]/gu, '').length;
  return (
    letters +
    1 +
    ideographs * (IDEOGRAPH_WEIGHT - 1) +
    spelled * (SPELLED_OUT_WEIGHT - 1) +
    digits * DIGIT_WEIGHT +
    symbols * SPELLED_OUT_WEIGHT
  );
}
