import type { OutputFormat } from '@app/audio/codecs/output-format';
import { timeCharacters, type CharacterTimes } from '@app/voice-engine/character-times';
import { speakableText } from '@app/voice-engine/speakable-text';
import { bytesPerSec } from '@app/voice-engine/speech-estimate';
import type { SpokenPart } from './speech';

/** When each character is spoken, in seconds from the beginning of the whole audio. */
export interface AlignmentResponse {
  characters: string[];
  character_start_times_seconds: number[];
  character_end_times_seconds: number[];
}

/** Audio, and when its characters are spoken: of the text as it was given, and as the engine reads it. */
export interface SpeechWithTimestampsResponse {
  audio_base64: string;
  /** Null when the engine does not say when it speaks which word. */
  alignment: AlignmentResponse | null;
  normalized_alignment: AlignmentResponse | null;
}

/** Writes the parts of one text, in their order, each with its times in the whole. */
export class SpeechTimestamps {
  private startSecs = 0;

  constructor(private readonly format: OutputFormat) {}

  toResponse({ piece, spoken }: SpokenPart): SpeechWithTimestampsResponse {
    const { bytes, wordTimes } = spoken;
    const { startSecs } = this;
    const durationSecs = bytes.byteLength / bytesPerSec(this.format);
    this.startSecs += durationSecs;
    const align = (text: string) =>
      wordTimes && toAlignment(timeCharacters(text, wordTimes, durationSecs), startSecs);
    return {
      audio_base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
      alignment: align(piece.written),
      normalized_alignment: align(`${speakableText(piece.text)} `),
    };
  }

  /** A line of JSON. */
  toLine(part: SpokenPart): Uint8Array {
    return Buffer.from(`${JSON.stringify(this.toResponse(part))}\n`);
  }

  /** All parts of a text as one. */
  toWhole(parts: SpokenPart[]): SpeechWithTimestampsResponse {
    const responses = parts.map((part) => this.toResponse(part));
    const audio = parts.map(({ spoken }) => spoken.bytes);
    return {
      audio_base64: Buffer.concat(audio).toString('base64'),
      alignment: joinAlignments(responses.map(({ alignment }) => alignment)),
      normalized_alignment: joinAlignments(
        responses.map(({ normalized_alignment: normalized }) => normalized),
      ),
    };
  }
}

function toAlignment(times: CharacterTimes, startSecs: number): AlignmentResponse {
  const inWhole = (secs: number) => Math.round((startSecs + secs) * 1_000) / 1_000;
  return {
    characters: times.characters,
    character_start_times_seconds: times.startSecs.map(inWhole),
    character_end_times_seconds: times.endSecs.map(inWhole),
  };
}

function joinAlignments(alignments: (AlignmentResponse | null)[]): AlignmentResponse | null {
  const known = alignments.filter((alignment) => alignment !== null);
  if (known.length < alignments.length) return null;
  return {
    characters: known.flatMap(({ characters }) => characters),
    character_start_times_seconds: known.flatMap((each) => each.character_start_times_seconds),
    character_end_times_seconds: known.flatMap((each) => each.character_end_times_seconds),
  };
}
