import { decodeAudio } from '../../../libs/audio/codecs/decode-audio';
import { encodeAudio } from '../../../libs/audio/codecs/encode-audio';
import type { OutputFormat } from '../../../libs/audio/codecs/output-format';
import type { Pcm } from '../../../libs/audio/codecs/pcm';
import { applyBiquad, highPass } from '../../../libs/audio/signal/biquad';
import { resample } from '../../../libs/audio/signal/resample';
import { inRoom, mixed, noise } from './signals';

/** As `secs` of a recording from `at` on, where no frame of it begins. */
export function cut({ samples, sampleRate }: Pcm, at: number, secs: number): Pcm {
  const start = Math.floor(at * sampleRate) + 17;
  return { samples: samples.slice(start, start + secs * sampleRate), sampleRate };
}

/** Encoded once more and decoded. */
export async function encoded(pcm: Pcm, format: OutputFormat): Promise<Pcm> {
  const { bytes, mediaType } = await encodeAudio(pcm, format);
  return decodeAudio(bytes, undefined, mediaType);
}

/** From a small loudspeaker (300 Hz to 4 kHz) in a room, recorded beside noise. */
export function reRecorded(
  { samples, sampleRate }: Pcm,
  { rt60, directDb, snrDb }: { rt60: number; directDb: number; snrDb: number },
): Pcm {
  const small = applyBiquad(resample(samples, sampleRate, 8_000), highPass(300, 8_000));
  const heard = inRoom(small, 8_000, rt60, directDb);
  const level = Math.sqrt(heard.reduce((sum, x) => sum + x * x, 0) / heard.length);
  const secs = heard.length / 8_000;
  const beside = noise(secs, 8_000, level * 10 ** (-snrDb / 20), 21).subarray(0, heard.length);
  return { samples: mixed(heard, beside), sampleRate: 8_000 };
}

/** What becomes of a clip on its way, by name. */
export const WAYS: Record<string, (clip: Pcm) => Pcm | Promise<Pcm>> = {
  cut: (clip) => clip,
  'MP3 of 32 kbit/s': (clip) => encoded(clip, 'mp3_22050_32'),
  'Opus of 32 kbit/s': (clip) => encoded(clip, 'opus_48000_32'),
  'telephone (mu-law)': (clip) => encoded(clip, 'ulaw_8000'),
  'loudspeaker, RT60 0.3 s, noise at -20 dB': (clip) =>
    reRecorded(clip, { rt60: 0.3, directDb: 4, snrDb: 20 }),
  'loudspeaker, RT60 0.5 s, noise at -15 dB': (clip) =>
    reRecorded(clip, { rt60: 0.5, directDb: 4, snrDb: 15 }),
  'loudspeaker, RT60 0.5 s, noise at -10 dB': (clip) =>
    reRecorded(clip, { rt60: 0.5, directDb: 0, snrDb: 10 }),
};
