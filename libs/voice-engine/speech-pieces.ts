import { sentenceEnds } from './sentence-ends';
import { isSpeakable, speechWeight, type SpokenScripts } from './speakable-text';
import { markupIn, pausesIn } from './spoken-markup';

/** A shorter sentence is spoken together with the next one. In letters of prose. */
const MIN_WEIGHT = 40;
/** About half a minute; a longer sentence is spoken in parts. Well below what `speakableText` would cut off. */
const MAX_WEIGHT = 500;
/** Of a text without spaces, and of spaces in a row. Even if each of its characters stands for several, a part is not cut off. */
const MAX_WORD_CHARACTERS = 50;

const SHORT = new RegExp(`.{1,${MAX_WORD_CHARACTERS}}`, 'gsu');

/** Nothing else has words to look for, by what the engine reads: that takes most of the time of a text that cannot be spoken. */
const LETTER: Record<SpokenScripts, RegExp> = { latin: /[\p{Script=Latin}\p{N}]/u, all: /[\p{L}\p{N}]/u };

/** Ends a clause, with its own pause. */
const CLAUSE_MARK = /[:;：；]$/u;
/** Where a long sentence may be cut. */
const CUT_MARK = /[\p{Po}\p{Pd}]$/u;
/** May stand between a mark and the white space behind it. */
const CLOSER = /[\p{Pe}\p{Pf}"']$/u;
/** Between two words, and behind the marks of scripts that write none. */
const WORD_END = /(?<=\s)(?=\S)|(?<=[、，；：。！？])(?=[^\s、，；：。！？\p{Pe}\p{Pf}])/gu;

/** A part of a text that is spoken in one go. */
export interface SpeechPiece {
  /** An engine that reads the scripts can speak it. */
  text: string;
  /** The part of the whole text that it stands for: with what cannot be spoken beside it. */
  written: string;
  /** Characters of `written`. */
  characters: number;
}

export interface Word {
  /** With the white space behind it. */
  text: string;
  weight: number;
  endsSentence: boolean;
  mayBeCut: boolean;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** So many characters are split, until `pieceByPiece` lets its caller pause. */
const PAUSE_CHARACTERS = 1_000;

/** Whether a text has a piece. */
export function hasPieces(text: string, scripts: SpokenScripts): boolean {
  // Cheaper than to split what has none.
  if (!isSpeakable(text, scripts)) return false;
  for (const piece of pieceByPiece(text, scripts)) if (piece !== null) return true;
  return false;
}

/**
 * Splits a text into pieces that are spoken one after the other: sentences, several short ones together, long ones in
 * parts that end at a comma where there is one. Every character of the text belongs to one piece; markup is never split.
 * Nothing when nothing of the text can be spoken.
 *
 * @param scripts what the engine reads
 * @returns the pieces, each when the one behind it is found, and null where the work may be interrupted
 */
export function* pieceByPiece(text: string, scripts: SpokenScripts): Generator<SpeechPiece | null, void> {
  const builder = new PieceBuilder(scripts);
  let since = 0;
  for (const word of wordsOf(text, scripts)) {
    builder.add(word);
    yield* builder.release();
    since += word.text.length;
    if (since < PAUSE_CHARACTERS) continue;
    since = 0;
    yield null;
  }
  yield* builder.end();
}

/** Puts the words of a text together to pieces, one after the other. */
export class PieceBuilder {
  private pieces: SpeechPiece[] = [];
  private words: Word[] = [];
  private weight = 0;
  /** Of the words, so many cannot be spoken. */
  private silent = 0;
  private unspoken = '';

  constructor(private readonly scripts: SpokenScripts) {}

  /** Characters of the complete pieces, and of what cannot be spoken behind them. */
  get length(): number {
    return this.pieces.reduce((sum, { written }) => sum + written.length, this.unspoken.length);
  }

  add(word: Word): void {
    if (this.weight > 0 && this.weight + word.weight > MAX_WEIGHT) this.endPiece(placeToCut(this.words));
    this.words.push(word);
    this.weight += word.weight;
    if (this.weight >= MIN_WEIGHT && word.endsSentence && this.canBeSpoken())
      this.endPiece(this.words.length);
  }

  /** Evicts as many characters as `length` says. */
  clear(): void {
    this.pieces = [];
    this.unspoken = '';
  }

  /** The pieces that have another behind them, each once. */
  release(): SpeechPiece[] {
    return this.pieces.length > 1 ? this.pieces.splice(0, this.pieces.length - 1) : [];
  }

  end(): SpeechPiece[] {
    this.endPiece(this.words.length);
    const last = this.pieces.pop();
    return last ? [...this.pieces, withRest(last, this.unspoken)] : [];
  }

  /** Each word is read once, however many end a sentence before one can be spoken. */
  private canBeSpoken(): boolean {
    const { words, scripts } = this;
    if (isSpeakable(textOf(words.slice(this.silent)), scripts) && isSpeakable(textOf(words), scripts))
      return true;
    this.silent = words.length;
    return false;
  }

  private endPiece(count: number): void {
    const piece = textOf(this.words.slice(0, count));
    const written = this.unspoken + piece;
    const canBeSpoken = isSpeakable(piece, this.scripts);
    if (canBeSpoken) this.pieces.push(pieceOf(piece, written));
    this.unspoken = canBeSpoken ? '' : written;
    this.words = this.words.slice(count);
    this.weight = weightOf(this.words);
    this.silent = 0;
  }
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

/** @param scripts what the engine reads */
export function* wordsOf(text: string, scripts: SpokenScripts): Generator<Word, void> {
  const ends = sentenceEnds(text);
  let end = ends.next();
  let at = 0;
  for (const chunk of chunksOf(text, scripts)) {
    at += chunk.length;
    while (!end.done && end.value < at) end = ends.next();
    const written = chunk.trimEnd();
    const mark = withoutClosers(written);
    const isLast = end.value === at || chunk.includes('\n', written.length);
    yield {
      text: chunk,
      weight: speechWeight(chunk.normalize('NFKD')),
      endsSentence: isLast || CLAUSE_MARK.test(mark),
      mayBeCut: isLast || CUT_MARK.test(mark),
    };
  }
}

function withoutClosers(word: string): string {
  let end = word;
  while (CLOSER.test(end)) end = end.slice(0, -1);
  return end;
}

/** Words and markup, each with the white space behind it; a very long word, in parts. */
function* chunksOf(text: string, scripts: SpokenScripts): Generator<string, void> {
  let from = 0;
  for (const { start, end } of markupIn(text)) {
    yield* wordsIn(text.slice(from, start), scripts);
    from = end;
    while (from - end < MAX_WORD_CHARACTERS && /\s/.test(text[from] ?? '')) from += 1;
    yield text.slice(start, from);
  }
  yield* wordsIn(text.slice(from), scripts);
}

function* wordsIn(text: string, scripts: SpokenScripts): Generator<string, void> {
  let from = 0;
  for (const { index } of text.matchAll(WORD_END)) {
    yield* splitLongWord(text.slice(from, index), scripts);
    from = index;
  }
  yield* splitLongWord(text.slice(from), scripts);
}

/** Between the words that Unicode finds in it, where it finds any: of a language without spaces. */
function* splitLongWord(word: string, scripts: SpokenScripts): Generator<string, void> {
  if (word === '') return;
  if (word.length <= MAX_WORD_CHARACTERS) {
    yield word;
    return;
  }
  let part = '';
  // In stretches: the time of the search grows with their square.
  for (const [stretch] of word.matchAll(/.{1,200}/gsu)) {
    for (const segment of shortSegmentsOf(stretch, scripts)) {
      if (part.length + segment.length > MAX_WORD_CHARACTERS) {
        yield part;
        part = '';
      }
      part += segment;
    }
  }
  yield part;
}

function shortSegmentsOf(stretch: string, scripts: SpokenScripts): string[] {
  if (!LETTER[scripts].test(stretch)) return stretch.match(SHORT) ?? [];
  const segments = Array.from(segmenter.segment(stretch), ({ segment }) => segment);
  return segments.flatMap((segment) => segment.match(SHORT) ?? []);
}
