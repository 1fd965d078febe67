/** Two minutes at an ordinary pace. Prose of 1,000 characters weighs at most 1,000. */
const MAX_WEIGHT = 2_000;
const SPELLED_OUT_WEIGHT = 5;
/** Numbers are said as words: 7,777,777 takes as long as a short sentence. */
const DIGIT_WEIGHT = 9;
const SPOKEN_SYMBOLS: Record<string, string> = { '%': 'percent', '&': 'and', '@': 'at', '+': 'plus' };

/**
 * The part of a text that the embedded engine can say: no markup (`<break/>`, `[laughs]`), no control characters,
 * emoji or other scripts, Latin letters without their accents, no quotes or brackets, runs of punctuation cut to one
 * mark (long ones crash Flite's tokenizer). Applying it twice changes nothing more.
 *
 * Digits, symbols and words without a vowel are read out one by one and take several times as long as prose; what
 * would go beyond about two minutes of speech is left out.
 *
 * @returns an empty string when nothing of the text can be spoken; the caller refuses such a text
 */
export function speakableText(text: string): string {
  const plain = foldCharacters(blankMarkup(text)).trim();
  const tidy = plain
    .replace(/[^A-Za-z0-9]+/g, (run, at: number) => (at === 0 ? prefix(run) : joint(run)))
    .trim();
  return /[A-Za-z0-9]/.test(tidy) ? withinWeight(tidy) : '';
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

/** Spaces in the place of markup: every other character stays where it was. */
export function blankMarkup(text: string): string {
  const blank = (markup: string) => ' '.repeat(markup.length);
  return text.replace(/<[/!?]?[A-Za-z][^<>]{0,200}>/g, blank).replace(/\[[^[\]]{0,80}\]/g, blank);
}

function foldCharacters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[‘’‛]/g, "'")
    .replace(/[–—―]/g, ', ')
    .replace(/[%&@+]/g, (symbol) => ` ${SPOKEN_SYMBOLS[symbol] ?? ''} `)
    .replace(/[^A-Za-z0-9\s.,;:!?'$-]/gu, ' ');
}

/** How long a text takes to say, in letters of prose: digits, symbols and words without a vowel count for several. */
export function speechWeight(text: string): number {
  return text.split(/\s+/).reduce((sum, word) => sum + spokenWeight(word), 0);
}

function withinWeight(text: string): string {
  let left = MAX_WEIGHT;
  const words = text.split(' ').map((word) => word.slice(0, Math.ceil(MAX_WEIGHT / SPELLED_OUT_WEIGHT)));
  const end = words.findIndex((word) => (left -= spokenWeight(word)) < 0);
  return (end < 0 ? words : words.slice(0, Math.max(1, end))).join(' ');
}

function spokenWeight(word: string): number {
  const letters = word.replace(/[^A-Za-z]/g, '').length;
  const spelled = /[aeiouy]/i.test(word) ? 0 : letters;
  const digits = word.replace(/[^0-9]/g, '').length;
  const symbols = word.replace(/[A-Za-z0-9.,;:!?'"()-]/g, '').length;
  return (
    letters + 1 + spelled * (SPELLED_OUT_WEIGHT - 1) + digits * DIGIT_WEIGHT + symbols * SPELLED_OUT_WEIGHT
  );
}
