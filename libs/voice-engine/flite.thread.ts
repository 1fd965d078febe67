import { EncodedAudio, encodeAudio } from '@app/audio/codecs/encode-audio';
import { OutputFormat } from '@app/audio/codecs/output-format';
import { Pcm } from '@app/audio/codecs/pcm';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { renderVoice } from './render-voice';
import { resampleSpeech } from './resample-speech';
import { VoiceSpec } from './voice-spec';

export interface SpeakTask {
  /** From `speakableText`. */
  text: string;
  spec: VoiceSpec;
  formats: OutputFormat[];
}

/**
 * Worker thread entry: speaks one preview and encodes it once for each format, in their order. The caller of the pool
 * receives `EncodedAudio[]`, whose bytes are handed over instead of copied.
 */
export default async function speak({ text, spec, formats }: SpeakTask): Promise<ReturnType<typeof move>> {
  const spoken = renderVoice(text, spec);
  const encoded: EncodedAudio[] = [];
  for (const format of formats) encoded.push(await encodeAudio(atRateOf(format, spoken), format));
  return move({ [transferableSymbol]: encoded.map(({ bytes }) => bytes.buffer), [valueSymbol]: encoded });
}

/** Done here because the encoder would use a longer filter than this speech needs. */
function atRateOf(format: OutputFormat, { samples, sampleRate }: Pcm): Pcm {
  const rate = Number(format.split('_')[1]);
  return { samples: resampleSpeech(samples, sampleRate, rate), sampleRate: rate };
}
