import type { OutputFormat } from '@app/audio/codecs/output-format';
import { SPEED } from '@app/domain/voices/voice-settings';
import { SECS_PER_WEIGHT, speechWeight } from './speakable-text';

/** What all previews of a design will take, before any of them is spoken. */
export interface SpeechEstimate {
  speechSecs: number;
  /** Encoded audio in memory, as it is stored and as it is returned. */
  bytes: number;
}

/** By how much longer a voice may take that speaks slowly without a setting. */
const SLOW_VOICE = 1.25;
/** The response is written as base64. */
const BASE64 = 4 / 3;
/** The embedded engine speaks a text once more to time its words. */
const TIMED = 2;
/** A character and when it begins and ends, as it is written and as it is spoken. */
const TIMED_CHARACTER_BYTES = 64;

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

/** Estimates one piece of speech; with the times of its characters it is written as base64. */
export function estimatePiece({
  text,
  outputFormat,
  timed = false,
}: {
  text: string;
  outputFormat: OutputFormat;
  timed?: boolean;
}): SpeechEstimate {
  const speechSecs = SECS_PER_WEIGHT * speechWeight(text);
  const audio = speechSecs * bytesPerSec(outputFormat);
  return {
    speechSecs: timed ? speechSecs * TIMED : speechSecs,
    bytes: Math.ceil(timed ? audio * (1 + BASE64) + text.length * TIMED_CHARACTER_BYTES : audio),
  };
}

/** Seconds of estimated speech as slowly as it can be spoken: at the slowest speed, by a slow voice. */
export function slowestSpeechSecs(speechSecs: number): number {
  return (speechSecs * SLOW_VOICE) / SPEED.min;
}

/** Bytes of a second of audio in a format: `codec_rate` or `codec_rate_kbps`. */
export function bytesPerSec(format: OutputFormat): number {
  const [codec, rate, kbps] = format.split('_');
  if (kbps !== undefined) return Number(kbps) * 125;
  return codec === 'pcm' || codec === 'wav' ? Number(rate) * 2 : Number(rate);
}
