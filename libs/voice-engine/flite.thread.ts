import { EncodedAudio, encodeAudio } from '@app/audio/codecs/encode-audio';
import { OutputFormat } from '@app/audio/codecs/output-format';
import { Pcm } from '@app/audio/codecs/pcm';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { renderVoice } from './render-voice';
import { resampleSpeech } from './resample-speech';
import type { WordTime } from './voice-engine';
import { VoiceSpec } from './voice-spec';

export interface SpeakTask {
  /** From `speakableText`. */
  text: string;
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
  text,
  spec,
  formats,
  timed = false,
}: SpeakTask): Promise<ReturnType<typeof move>> {
  const spoken = renderVoice(text, spec);
  const encoded: EncodedAudio[] = [];
  for (const format of formats) encoded.push(await encodeAudio(atRateOf(format, spoken), format));
  const result: SpeakResult = { encoded, wordTimes: timed ? spoken.timeWords() : null };
  return move({ [transferableSymbol]: encoded.map(({ bytes }) => bytes.buffer), [valueSymbol]: result });
}

/** Done here because the encoder would use a longer filter than this speech needs. */
function atRateOf(format: OutputFormat, { samples, sampleRate }: Pcm): Pcm {
  const rate = Number(format.split('_')[1]);
  return { samples: resampleSpeech(samples, sampleRate, rate), sampleRate: rate };
}
