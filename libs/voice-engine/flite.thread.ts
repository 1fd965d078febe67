import { EncodedAudio, encodeAudio } from '@app/audio/codecs/encode-audio';
import { OutputFormat } from '@app/audio/codecs/output-format';
import { Pcm } from '@app/audio/codecs/pcm';
import { lowerThreadPriority } from '@app/audio/threads/lower-priority';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { renderVoice } from './render-voice';
import type { PausedText } from './spoken-markup';
import { resampleSpeech } from './resample-speech';
import type { WordTime } from './voice-engine';
import type { SynthesizedSpeech } from './flite-synthesizer';
import { VoiceSpec } from './voice-spec';

lowerThreadPriority('speech');

export interface SpeakTask {
  /** From `speakableParts`. */
  parts: PausedText[];
  spec: VoiceSpec;
  formats: OutputFormat[];
  /** Whether to say when which word is spoken. */
  timed?: boolean;
}

export interface SpeakResult {
  /** One for each format, in their order. */
  encoded: EncodedAudio[];
  /** Null unless the task is timed. */
  wordTimes: WordTime[] | null;
}

/**
 * Worker thread entry: speaks one text and encodes it once for each format. The caller of the pool receives a `SpeakResult`,
 * whose bytes are handed over instead of copied.
 */
export default async function speak({
  parts,
  spec,
  formats,
  timed = false,
}: SpeakTask): Promise<ReturnType<typeof move>> {
  const spoken = renderParts(parts, spec);
  const encoded: EncodedAudio[] = [];
  for (const format of formats) encoded.push(await encodeAudio(atRateOf(format, spoken), format));
  const result: SpeakResult = { encoded, wordTimes: timed ? spoken.timeWords() : null };
  return move({ [transferableSymbol]: encoded.map(({ bytes }) => bytes.buffer), [valueSymbol]: result });
}

/** Each part alone: what stands before a silence ends as a sentence does. */
function renderParts(parts: PausedText[], spec: VoiceSpec): SynthesizedSpeech {
  const [first] = parts;
  if (parts.length === 1 && first?.pauseSecs === 0) return renderVoice(first.text, spec);
  const spoken = parts.map(({ text, pauseSecs }) => ({ ...(text && renderVoice(text, spec)), pauseSecs }));
  const sampleRate = spoken.find((part) => part.sampleRate)?.sampleRate ?? 16_000;
  const lengths = spoken.map(
    ({ samples, pauseSecs }) => (samples?.length ?? 0) + Math.round(pauseSecs * sampleRate),
  );
  const samples = new Float32Array(lengths.reduce((sum, length) => sum + length, 0));
  const starts = lengths.map((_, place) => lengths.slice(0, place).reduce((sum, length) => sum + length, 0));
  spoken.forEach((part, place) => part.samples && samples.set(part.samples, starts[place]));
  const timeWords = () =>
    spoken.flatMap((part, place) =>
      (part.timeWords?.() ?? []).map((time) => later(time, starts[place]! / sampleRate)),
    );
  return { samples, sampleRate, timeWords };
}

function later({ startSecs, endSecs }: WordTime, secs: number): WordTime {
  return { startSecs: startSecs + secs, endSecs: endSecs + secs };
}

/** Done here because the encoder would use a longer filter than this speech needs. */
function atRateOf(format: OutputFormat, { samples, sampleRate }: Pcm): Pcm {
  const rate = Number(format.split('_')[1]);
  return { samples: resampleSpeech(samples, sampleRate, rate), sampleRate: rate };
}
