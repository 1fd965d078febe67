import type { OutputFormat } from '@app/audio/codecs/output-format';
import type { VoiceSettingsEdit } from '@app/domain/voices/voice-settings';
import type { PieceReader } from '@app/voice-engine/piece-reader';
import type { SpeechPiece } from '@app/voice-engine/speech-pieces';
import type { SpeechRequest, SpokenPiece } from '@app/voice-engine/voice-engine';
import type { HistoryDraft } from '../history/history-draft';

/** What a voice is to say. */
export interface SpeechInput {
  text: string;
  format: OutputFormat;
  /** As requested: every model leads to the same engine. */
  modelId: string;
  /** Instead of the voice's own, each separately; null for none. */
  settings: VoiceSettingsEdit | null;
  /** Whether it may be stored in the history. */
  isStored: boolean;
  /** Whether to say when which character is spoken. */
  timed: boolean;
}

/** Speech that was accepted, and is not paid for yet. */
export interface Speech {
  pieces: PieceReader;
  /** Everything that the engine needs beside the text of a piece. */
  request: Omit<SpeechRequest, 'text'>;
  /** Credits: the characters of the text, which all belong to a piece; at its end, what it has cost. */
  cost: number;
  /** Estimated audio of all pieces. */
  bytes: number;
  /** The longest that it may take until the last piece is sent. */
  limitMs: number;
  /** Which engine speaks. */
  engine: string;
  /** Characters that the engine leaves out. */
  unspoken: () => string[];
  /** What says in it that it is machine-made; null where that is off. */
  mark: string | null;
  /** Null when it is not stored in the history. */
  draft: HistoryDraft | null;
}

/** A piece of a text with its audio, in the form in which it follows the pieces before it. */
export interface SpokenPart {
  piece: SpeechPiece;
  spoken: SpokenPiece;
}
