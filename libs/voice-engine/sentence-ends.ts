import { readFileSync } from 'node:fs';

/** The languages for which Unicode's CLDR lists abbreviations behind which no sentence ends. */
const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'pt', 'ru'];
/** An initial: `J. R. R. Tolkien`. */
const INITIAL = /(?:^|[\s.(])\p{Lu}\.$/u;
const LONGEST = 20;

interface Suppressions {
  segments: { segmentations: { SentenceBreak: { standard: { suppression: string }[] } } };
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
let abbreviations: ReadonlySet<string> | null = null;

/** Text that is searched at a time: the time of a search grows with the square of the text. */
const STRETCH = 1_000;

/**
 * Where the sentences of a text end, as positions behind the white space that follows them: by the rules of Unicode (UAX #29),
 * and not behind an initial or an abbreviation of CLDR. Those of all languages count at once: a sentence too long is only
 * spoken with the next one, one too short is spoken wrong. The text is searched as far as the positions are read.
 */
export function* sentenceEnds(text: string): Generator<number, void> {
  const known = (abbreviations ??= readAbbreviations());
  let from = 0;
  for (let size = STRETCH; from < text.length; size *= 2) {
    const sentences = Array.from(segmenter.segment(text.slice(from, from + size)), ({ segment }) => segment);
    // Where a sentence begins depends on what follows, up to the end of the next one.
    const complete = from + size < text.length ? sentences.slice(0, -2) : sentences;
    for (const sentence of complete) {
      from += sentence.length;
      size = STRETCH / 2;
      const endsLine = sentence.includes('\n', sentence.trimEnd().length);
      if (endsLine || !isAbbreviated(text.slice(Math.max(0, from - LONGEST * 2), from), known)) yield from;
    }
  }
}

function isAbbreviated(end: string, known: ReadonlySet<string>): boolean {
  const written = end.trimEnd();
  if (!written.endsWith('.')) return false;
  if (INITIAL.test(written)) return true;
  const words = written.split(/(?<=[\s(])/);
  return [1, 2, 3].some((count) => known.has(words.slice(-count).join('').toLowerCase()));
}

function readAbbreviations(): ReadonlySet<string> {
  const lists = LANGUAGES.map((language) => {
    const file = require.resolve(`cldr-segments-full/segments/${language}/suppressions.json`);
    const { segments } = JSON.parse(readFileSync(file, 'utf8')) as Suppressions;
    return segments.segmentations.SentenceBreak.standard;
  });
  return new Set(lists.flat().map(({ suppression }) => suppression.toLowerCase()));
}
