import { cutAudio } from '@app/audio/codecs/cut-audio';
import type { OutputFormat } from '@app/audio/codecs/output-format';
import { timeCharacters, type CharacterTimes } from '@app/voice-engine/character-times';
import { speakableText } from '@app/voice-engine/speakable-text';
import type { SpokenPart } from './speech';

/**
 * Readers of lines stop at 64 KiB (Go's scanner) or 128 (aiohttp). A line is at most half of the shorter: its audio is a half
 * of that in base64, and so many characters with their times, in both alignments, less than the rest.
 */
const LINE_AUDIO_BYTES = 12_000;
const LINE_CHARACTERS = 200;

/** When each character is spoken, in seconds from the beginning of the whole audio. */
export interface AlignmentResponse {
  characters: string[];
  character_start_times_seconds: number[];
  character_end_times_seconds: number[];
}

/** Writes the parts of one text, in their order, each with its times in the whole. */
export class SpeechTimestamps {
  private startSecs = 0;

  constructor(private readonly format: OutputFormat) {}

  /** Lines of JSON: the audio and the characters of a part, cut where no reader has too long a line. */
  toLines(part: SpokenPart): Uint8Array {
    const { bytes, durationSecs } = part.spoken;
    const fromSecs = this.startSecs;
    const { alignment, normalized } = this.align(part);
    const lines: SpeechWithTimestampsResponse[] = [];
    let sentBytes = 0;
    for (const audio of cutAudio(bytes, this.format, LINE_AUDIO_BYTES)) {
      sentBytes += audio.byteLength;
      const isLast = sentBytes === bytes.byteLength;
      const untilSecs = isLast ? Infinity : fromSecs + (durationSecs * sentBytes) / bytes.byteLength;
      const add = (bytesOfLine: Uint8Array | null) =>
        lines.push(toLine(bytesOfLine, alignment?.takeUntil(untilSecs), normalized?.takeUntil(untilSecs)));
      const hasMore = () => alignment?.hasMore(untilSecs) || normalized?.hasMore(untilSecs);
      add(audio);
      while (hasMore()) add(null);
    }
    return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  /** All parts of a text as one. */
  toWhole(parts: SpokenPart[]): SpeechWithTimestampsResponse {
    const aligned = parts.map((part) => this.align(part));
    const audio = parts.map(({ spoken }) => spoken.bytes);
    return {
      audio_base64: Buffer.concat(audio).toString('base64'),
      alignment: joinAlignments(aligned.map(({ alignment }) => alignment)),
      normalized_alignment: joinAlignments(aligned.map(({ normalized }) => normalized)),
    };
  }

  private align({ piece, spoken: { wordTimes, durationSecs } }: SpokenPart) {
    const { startSecs } = this;
    this.startSecs += durationSecs;
    const align = (text: string) =>
      wordTimes && new Alignment(timeCharacters(text, wordTimes, durationSecs), startSecs);
    return { alignment: align(piece.written), normalized: align(`${speakableText(piece.text)} `) };
  }
}

/** The characters of a part, which are taken from their beginning. */
class Alignment {
  private taken = 0;

  constructor(
    private readonly times: CharacterTimes,
    private readonly startSecs: number,
  ) {}

  hasMore(untilSecs: number): boolean {
    const next = this.times.startSecs[this.taken];
    return next !== undefined && this.startSecs + next < untilSecs;
  }

  /** As many as a line has room for of those that begin before a time; null for none. */
  takeUntil(untilSecs: number, most = LINE_CHARACTERS): AlignmentResponse | null {
    const from = this.taken;
    while (this.taken - from < most && this.hasMore(untilSecs)) this.taken += 1;
    if (this.taken === from) return null;
    const inWhole = (secs: number) => Math.round((this.startSecs + secs) * 1_000) / 1_000;
    return {
      characters: this.times.characters.slice(from, this.taken),
      character_start_times_seconds: this.times.startSecs.slice(from, this.taken).map(inWhole),
      character_end_times_seconds: this.times.endSecs.slice(from, this.taken).map(inWhole),
    };
  }
}

/** Audio, and when its characters are spoken: of the text as it was sent, and as the engine reads it. */
export interface SpeechWithTimestampsResponse extends ReturnType<typeof toLine> {}

function toLine(
  audio: Uint8Array | null,
  alignment: AlignmentResponse | null | undefined,
  normalized: AlignmentResponse | null | undefined,
) {
  return {
    audio_base64: audio
      ? Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64')
      : '',
    /** Null when the engine does not say when it speaks which word, and where no character begins. */
    alignment: alignment ?? null,
    normalized_alignment: normalized ?? null,
  };
}

function joinAlignments(alignments: (Alignment | null)[]): AlignmentResponse | null {
  const known = alignments.map((alignment) => alignment?.takeUntil(Infinity, Infinity) ?? null);
  if (alignments.includes(null)) return null;
  return {
    characters: known.flatMap((each) => each?.characters ?? []),
    character_start_times_seconds: known.flatMap((each) => each?.character_start_times_seconds ?? []),
    character_end_times_seconds: known.flatMap((each) => each?.character_end_times_seconds ?? []),
  };
}
