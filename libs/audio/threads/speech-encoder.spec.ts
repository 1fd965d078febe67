import { decodeAudio } from '../codecs/decode-audio';
import { encodeAudio } from '../codecs/encode-audio';
import { codecOf, OUTPUT_FORMATS, pcmFormatOf } from '../codecs/output-format';
import { sine } from '../../../test/support/audio/signals';
import { SpeechEncoder } from './speech-encoder';

const encoder = new SpeechEncoder();
afterAll(async () => encoder.close());

/** A tone between two silences, as pieces of speech are. */
function pieceOf(secs: number, sampleRate: number): Float32Array {
  const samples = new Float32Array(Math.round(secs * sampleRate));
  const tone = sine(300, { secs: secs - 0.2, sampleRate, amplitude: 0.3 });
  samples.set(tone, Math.round(0.1 * sampleRate));
  return samples;
}

const STREAMED = OUTPUT_FORMATS.filter((format) => encoder.begin(format));

it.each(STREAMED)('%s: thirty pieces decode to the length of what went in', async (format) => {
  const encoding = encoder.begin(format)!;
  const { sampleRate } = codecOf(format);
  const parts: Uint8Array[] = [];
  let secs = 0;
  for (let place = 0; place < 30; place++) {
    const samples = pieceOf(0.5 + place / 37, sampleRate);
    secs += samples.length / sampleRate;
    const pcm = await encodeAudio({ samples, sampleRate }, pcmFormatOf(format));
    parts.push(await encoding.encode(pcm.bytes, place === 29));
  }
  const { samples } = await decodeAudio(Buffer.concat(parts));
  expect(Math.abs(samples.length / sampleRate - secs)).toBeLessThan(0.03);
  const first = samples.findIndex((sample) => Math.abs(sample) > 0.1) / sampleRate;
  expect(first).toBeCloseTo(0.1, 2);
});

it('streams that end early, and those beside them, leave nothing behind', async () => {
  const [one, other] = [encoder.begin('mp3_44100_128')!, encoder.begin('mp3_44100_128')!];
  const pcm = new Uint8Array(88_200);
  await one.encode(pcm, false);
  await other.encode(pcm, false);
  one.end();
  expect((await other.encode(pcm, true)).length).toBeGreaterThan(10_000);
  other.end();
});

it('formats whose pieces can be joined need no encoder', () => {
  for (const format of ['pcm_16000', 'ulaw_8000', 'alaw_8000', 'wav_16000'] as const)
    expect(encoder.begin(format)).toBeNull();
});
