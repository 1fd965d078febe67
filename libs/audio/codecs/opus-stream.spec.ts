import { sine } from '../../../test/support/audio/signals';
import { decodeAudio } from './decode-audio';
import { OpusStream } from './opus-stream';

it.each([
  [32, 30_000],
  [128, 7],
  [192, 48_000],
])('at %d kbit/s decodes to exactly the samples that went in, in parts of %d', async (kbps, size) => {
  const samples = sine(440, { secs: size < 10 ? 0.05 : 3.21, sampleRate: 48_000, amplitude: 0.5 });
  const stream = await OpusStream.open(kbps);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += size)
    parts.push(stream.encode(samples.subarray(at, at + size), at + size >= samples.length));
  const bytes = Buffer.concat(parts);
  const decoded = await decodeAudio(bytes);
  expect(decoded).toMatchObject({ container: 'ogg-opus', sampleRate: 48_000, channels: 1 });
  expect(decoded.samples.length).toBe(samples.length);
  if (size < 10) return;
  const middle = samples.subarray(4_000, -4_000);
  const error = middle.reduce((sum, x, n) => sum + (x - decoded.samples[n + 4_000]!) ** 2, 0) / middle.length;
  expect(10 * Math.log10(error / 0.125)).toBeLessThan(-20);
  expect((bytes.length * 8) / 3.21 / 1_000 / kbps).toBeLessThan(1.3);
});
