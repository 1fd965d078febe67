import { inTurns } from '@app/domain/common/in-turns';
import type { Interruptible } from '@app/domain/common/interruptible';
import type { SpokenScripts } from './speakable-text';
import { pieceByPiece, type SpeechPiece } from './speech-pieces';

/** About as long as a first piece is. */
const BEGINNING_CHARACTERS = 100;

/** The pieces of a text, which is split as far as they are read, and a little at a time. */
export class PieceReader {
  private readonly found: SpeechPiece[] = [];
  private readonly splitting: Generator<SpeechPiece | null, void>;

  constructor(
    readonly text: string,
    scripts: SpokenScripts,
  ) {
    this.splitting = pieceByPiece(text, scripts);
  }

  /** Splits the beginning of the text. @returns false when it is known that nothing of the text can be spoken */
  begin(): boolean {
    return this.step() || this.found.length > 0;
  }

  /** What is spoken first, or about as much. */
  get beginning(): string {
    return this.found[0]?.text ?? this.text.slice(0, BEGINNING_CHARACTERS);
  }

  /** The piece with this number from 0; undefined behind the last one. */
  async at(index: number): Promise<SpeechPiece | undefined> {
    return inTurns(this.readingTo(index));
  }

  private *readingTo(index: number): Interruptible<SpeechPiece | undefined> {
    while (this.found.length <= index && this.step()) yield;
    return this.found[index];
  }

  private step(): boolean {
    const { value, done } = this.splitting.next();
    if (value) this.found.push(value);
    return !done;
  }
}
