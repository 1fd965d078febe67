import { speakableText, speechWeight } from './speakable-text';

/** A shorter sentence is spoken together with the next one. In letters of prose. */
const MIN_WEIGHT = 40;
/** About half a minute; a longer sentence is spoken in parts. Well below what `speakableText` would cut off. */
const MAX_WEIGHT = 500;
/** Of a text without spaces. Even if each of its characters stands for several, a part is not cut off. */
const MAX_WORD_CHARACTERS = 50;

/** Ends a sentence, also in scripts that the embedded engine does not speak. */
const TERMINATOR = /^[.!?…:;。！？]$/u;
/** May stand between the terminator and the white space behind a sentence. */
const CLOSER = /^[\p{Pe}\p{Pf}"']$/u;

/** A part of a text that is spoken in one go. */
export interface SpeechPiece {
  /** `speakableText(text)` is not empty. */
  text: string;
  /** The part of the whole text that it stands for: with what cannot be spoken beside it. */
  written: string;
  /** Characters of `written`. */
  characters: number;
}

/**
 * Splits a text into pieces that are spoken one after the other: sentences, several short ones together, long ones in
 * parts. Every character of the text belongs to one piece.
 *
 * @returns an empty list when nothing of the text can be spoken
 */
export function splitIntoPieces(text: string): SpeechPiece[] {
  const pieces: SpeechPiece[] = [];
  let piece = '';
  let weight = 0;
  let unspoken = '';
  const endPiece = (isFull: boolean): void => {
    const canBeSpoken = speakableText(piece) !== '';
    if (!canBeSpoken && !isFull) return;
    const written = unspoken + piece;
    if (canBeSpoken) pieces.push(pieceOf(piece, written));
    unspoken = canBeSpoken ? '' : written;
    piece = '';
    weight = 0;
  };
  for (const word of wordsOf(text)) {
    const wordWeight = speechWeight(word.normalize('NFKD'));
    if (weight > 0 && weight + wordWeight > MAX_WEIGHT) endPiece(true);
    piece += word;
    weight += wordWeight;
    if (weight >= MIN_WEIGHT && endsSentence(word)) endPiece(false);
  }
  endPiece(true);
  const last = pieces.pop();
  return last ? [...pieces, pieceOf(last.text, last.written + unspoken)] : [];
}

function pieceOf(text: string, written: string): SpeechPiece {
  return { text, written, characters: [...written].length };
}

/** Words with the white space behind them; a very long one in parts. */
function wordsOf(text: string): string[] {
  return text
    .split(/(?<=\s)(?=\S)/u)
    .flatMap((word) =>
      word.length > MAX_WORD_CHARACTERS
        ? (word.match(new RegExp(`.{1,${MAX_WORD_CHARACTERS}}`, 'gsu')) ?? [])
        : [word],
    );
}

/** Whether a word, with the white space behind it, is the last of a sentence or of a line. */
function endsSentence(word: string): boolean {
  const written = word.trimEnd();
  if (word.includes('\n', written.length)) return true;
  const last = [...written].findLast((character) => !CLOSER.test(character));
  return last !== undefined && TERMINATOR.test(last);
}
