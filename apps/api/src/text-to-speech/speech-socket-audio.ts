import { cutAudio } from '@app/audio/codecs/cut-audio';
import type { OutputFormat } from '@app/audio/codecs/output-format';
import { timeCharacters } from '@app/voice-engine/character-times';
import { speakableText } from '@app/voice-engine/speakable-text';
import type { SpokenPart } from './speech';

/** Of one message, before it is written as base64. Clients accept messages of 1 MiB at the least; players begin with the first. */
const MAX_AUDIO_BYTES = 24_000;

/** When each character is spoken, in milliseconds from the beginning of its sentence. */
interface SocketAlignment {
  chars: string[];
  charStartTimesMs: number[];
  charDurationsMs: number[];
}

/** The messages for a piece, as lines. The first has the times of all of its characters. */
export function toAudioLines(
  { piece, spoken }: SpokenPart,
  { format, contextId }: { format: OutputFormat; contextId: string | null },
): Uint8Array {
  const { bytes, wordTimes, durationSecs } = spoken;
  const align = (text: string): SocketAlignment | null =>
    wordTimes && toAlignment(timeCharacters(text, wordTimes, durationSecs));
  const lines = cutAudio(bytes, format, MAX_AUDIO_BYTES).map((audio, index) => ({
    audio: Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64'),
    isFinal: null,
    alignment: index === 0 ? align(piece.written) : null,
    normalizedAlignment: index === 0 ? align(`${speakableText(piece.text)} `) : null,
    ...(contextId !== null && { contextId }),
  }));
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function toAlignment({ characters, startSecs, endSecs }: ReturnType<typeof timeCharacters>): SocketAlignment {
  const ms = (secs: number) => Math.round(secs * 1_000);
  return {
    chars: characters,
    charStartTimesMs: startSecs.map(ms),
    charDurationsMs: endSecs.map((end, index) => ms(end) - ms(startSecs[index]!)),
  };
}
