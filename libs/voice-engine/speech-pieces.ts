import { sentenceEnds } from './sentence-ends';
import { isSpeakable, speechWeight, type SpokenScripts } from './speakable-text';
import { markupIn, pausesIn } from './spoken-markup';

/** A shorter sentence is spoken together with the next one. In letters of prose. */
const MIN_WEIGHT = 40;
/** About half a minute; a longer sentence is spoken in parts. Well below what `speakableText` would cut off. */
const MAX_WEIGHT = 500;
/** Of a text without spaces. Even if each of its characters stands for several, a part is not cut off. */
const MAX_WORD_CHARACTERS = 50;

const SHORT = new RegExp(`.{1,${MAX_WORD_CHARACTERS}}`, 'gsu');

/** Ends a clause, with its own pause. */
const CLAUSE_MARK = /[:;：；]$/u;
/** Where a long sentence may be cut. */
const CUT_MARK = /[\p{Po}\p{Pd}]$/u;
/** May stand between a mark and the white space behind it. */
const CLOSER = /[\p{Pe}\p{Pf}"']$/u;
/** Between two words, and behind the marks of scripts that write none. */
const WORD_END = /(?<=\s)(?=\S)|(?<=[、，；：。！？])(?=[^\s、，；：。！？\p{Pe}\p{Pf}])/u;

/** A part of a text that is spoken in one go. */
export interface SpeechPiece {
  /** An engine that reads the scripts can speak it. */
  text: string;
  /** The part of the whole text that it stands for: with what cannot be spoken beside it. */
  written: string;
  /** Characters of `written`. */
  characters: number;
}

interface Word {
  /** With the white space behind it. */
  text: string;
  weight: number;
  endsSentence: boolean;
  mayBeCut: boolean;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * Splits a text into pieces that are spoken one after the other: sentences, several short ones together, long ones in
 * parts that end at a comma where there is one. Every character of the text belongs to one piece; markup is never split.
 *
 * @param scripts what the engine reads
 * @returns an empty list when nothing of the text can be spoken
 */
export function splitIntoPieces(text: string, scripts: SpokenScripts = 'latin'): SpeechPiece[] {
  const pieces: SpeechPiece[] = [];
  let words: Word[] = [];
  let weight = 0;
  let unspoken = '';
  const endPiece = (count: number, isFull: boolean): void => {
    const piece = textOf(words.slice(0, count));
    const canBeSpoken = isSpeakable(piece, scripts);
    if (!canBeSpoken && !isFull) return;
    const written = unspoken + piece;
    if (canBeSpoken) pieces.push(pieceOf(piece, written));
    unspoken = canBeSpoken ? '' : written;
    words = words.slice(count);
    weight = weightOf(words);
  };
  for (const word of wordsOf(text)) {
    if (weight > 0 && weight + word.weight > MAX_WEIGHT) endPiece(placeToCut(words), true);
    words.push(word);
    weight += word.weight;
    if (weight >= MIN_WEIGHT && word.endsSentence) endPiece(words.length, false);
  }
  endPiece(words.length, true);
  const last = pieces.pop();
  return last ? [...pieces, withRest(last, unspoken)] : [];
}

/** The silence that a text ends with is spoken, too. */
function withRest({ text, written }: SpeechPiece, unspoken: string): SpeechPiece {
  const hasPause = pausesIn(unspoken) > 0 && speechWeight(unspoken) <= MAX_WEIGHT;
  return pieceOf(hasPause ? text + unspoken : text, written + unspoken);
}

function pieceOf(text: string, written: string): SpeechPiece {
  return { text, written, characters: [...written].length };
}

function textOf(words: Word[]): string {
  return words.map((word) => word.text).join('');
}

function weightOf(words: Word[]): number {
  return words.reduce((sum, word) => sum + word.weight, 0);
}

/** Behind the last comma, unless so little stands before it that it would be spoken as a separate phrase. */
function placeToCut(words: Word[]): number {
  const place = words.findLastIndex((word) => word.mayBeCut) + 1;
  return weightOf(words.slice(0, place)) >= MIN_WEIGHT ? place : words.length;
}

function wordsOf(text: string): Word[] {
  const ends = sentenceEnds(text);
  let at = 0;
  return chunksOf(text).map((chunk) => {
    at += chunk.length;
    const written = chunk.trimEnd();
    const mark = withoutClosers(written);
    const isLast = ends.has(at) || chunk.includes('\n', written.length);
    return {
      text: chunk,
      weight: speechWeight(chunk.normalize('NFKD')),
      endsSentence: isLast || CLAUSE_MARK.test(mark),
      mayBeCut: isLast || CUT_MARK.test(mark),
    };
  });
}

function withoutClosers(word: string): string {
  let end = word;
  while (CLOSER.test(end)) end = end.slice(0, -1);
  return end;
}

/** Words and markup, each with the white space behind it; a very long word in parts. */
function chunksOf(text: string): string[] {
  const chunks: string[] = [];
  let from = 0;
  for (const { start, end } of [...markupIn(text), { start: text.length, end: text.length }]) {
    chunks.push(...text.slice(from, start).split(WORD_END).flatMap(splitLongWord));
    from = end;
    while (/\s/.test(text[from] ?? '')) from += 1;
    chunks.push(text.slice(start, from));
  }
  return chunks.filter((chunk) => chunk !== '');
}

/** Between the words that Unicode finds in it, where it finds any: of a language without spaces. */
function splitLongWord(word: string): string[] {
  if (word.length <= MAX_WORD_CHARACTERS) return [word];
  const parts = [''];
  // In stretches: the time of the search grows with their square.
  for (const stretch of word.match(/.{1,200}/gsu) ?? []) {
    for (const part of shortSegmentsOf(stretch)) {
      if (parts.at(-1)!.length + part.length > MAX_WORD_CHARACTERS) parts.push('');
      parts[parts.length - 1] += part;
    }
  }
  return parts;
}

function shortSegmentsOf(stretch: string): string[] {
  const segments = Array.from(segmenter.segment(stretch), ({ segment }) => segment);
  return segments.flatMap((segment) => segment.match(SHORT) ?? []);
}
