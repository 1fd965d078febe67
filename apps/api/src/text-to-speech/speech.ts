import type { OutputFormat } from '@app/audio/codecs/output-format';
import type { SpeechPiece } from '@app/voice-engine/speech-pieces';
import type { SpeechRequest, SpokenPiece } from '@app/voice-engine/voice-engine';

/** What a voice is to say. */
export interface SpeechInput {
  text: string;
  format: OutputFormat;
  /** Instead of the voice's own; null for that. */
  speed: number | null;
  /** Whether to say when which character is spoken. */
  timed: boolean;
}

/** Speech that was accepted, and is not paid for yet. */
export interface Speech {
  pieces: SpeechPiece[];
  /** Everything that the engine needs beside the text of a piece. */
  request: Omit<SpeechRequest, 'text'>;
  /** Credits: the characters of all pieces. */
  cost: number;
  /** Estimated audio of all pieces. */
  bytes: number;
  /** The longest that it may take until the last piece is sent. */
  limitMs: number;
  /** Which engine speaks. */
  engine: string;
}

/** A piece of a text with its audio, in the form in which it follows the pieces before it. */
export interface SpokenPart {
  piece: SpeechPiece;
  spoken: SpokenPiece;
}
