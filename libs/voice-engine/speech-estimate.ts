import type { OutputFormat } from '@app/audio/codecs/output-format';
import { speechWeight } from './speakable-text';

/** What all previews of a design will take, before any of them is spoken. */
export interface SpeechEstimate {
  speechSecs: number;
  /** Encoded audio in memory, as it is stored and as it is returned. */
  bytes: number;
}

/** Two minutes for a weight of 2,000. */
const SECS_PER_WEIGHT = 0.06;
/** The response is written as base64. */
const BASE64 = 4 / 3;

/**
 * Estimates the speech of a design from its text: digits and words that are spelled out count for several letters.
 *
 * @param text what is spoken, of each preview
 */
export function estimateSpeech(
  text: string,
  previews: number,
  { outputFormat, storedFormat }: { outputFormat: OutputFormat; storedFormat: OutputFormat },
): SpeechEstimate {
  const speechSecs = previews * SECS_PER_WEIGHT * speechWeight(text);
  const inMemory = outputFormat === storedFormat ? 0 : bytesPerSec(outputFormat);
  const perSec = bytesPerSec(storedFormat) + inMemory + BASE64 * bytesPerSec(outputFormat);
  return { speechSecs, bytes: Math.ceil(speechSecs * perSec) };
}

/** Estimates one piece of speech, of which nothing is kept and nothing written as base64. */
export function estimatePiece({
  text,
  outputFormat,
}: {
  text: string;
  outputFormat: OutputFormat;
}): SpeechEstimate {
  const speechSecs = SECS_PER_WEIGHT * speechWeight(text);
  return { speechSecs, bytes: Math.ceil(speechSecs * bytesPerSec(outputFormat)) };
}

/** `codec_rate` or `codec_rate_kbps`. */
function bytesPerSec(format: OutputFormat): number {
  const [codec, rate, kbps] = format.split('_');
  if (kbps !== undefined) return Number(kbps) * 125;
  return codec === 'pcm' ? Number(rate) * 2 : Number(rate);
}
