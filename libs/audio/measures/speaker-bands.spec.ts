import { noise, sine } from '../../../test/support/audio/signals';
import { SPEAKER_BANDS, speakerBands } from './speaker-bands';

const RATE = 16_000;
const toMel = (hz: number) => 1_127 * Math.log(1 + hz / 700);

/** A band of a frame by the definition: no fast transform, no tables. */
function bandByDefinition(samples: Float32Array, frame: number, band: number): number {
  const { cos, sin, PI, log, max, abs } = Math;
  const part = Array.from(samples.subarray(frame * 160, frame * 160 + 400));
  const mean = part.reduce((sum, x) => sum + x, 0) / 400;
  const level = part.map((x) => (x - mean) * 32_768);
  const windowed = level.map(
    (x, n) => (x - 0.97 * level[max(0, n - 1)]!) * (0.54 - 0.46 * cos((2 * PI * n) / 399)),
  );
  const step = (toMel(8_000) - toMel(20)) / 81;
  let sum = 0;
  for (let bin = 0; bin < 256; bin++) {
    const weight = 1 - abs(toMel((bin * RATE) / 512) - toMel(20) - (band + 1) * step) / step;
    if (weight <= 0) continue;
    const angle = (n: number) => (2 * PI * bin * n) / 512;
    const real = windowed.reduce((total, x, n) => total + x * cos(angle(n)), 0);
    const imaginary = windowed.reduce((total, x, n) => total + x * sin(angle(n)), 0);
    sum += weight * (real * real + imaginary * imaginary);
  }
  return log(max(2 ** -23, sum));
}

it('are those of the definition, each band less its mean', () => {
  const samples = noise(0.065, RATE, 0.1).map((x, n) => x + 0.2 * Math.sin(n / 7) + 0.05);
  const bands = speakerBands(samples);
  expect(bands).toHaveLength(5 * SPEAKER_BANDS);
  for (const band of [0, 1, 17, 40, 79]) {
    const expected = [0, 1, 2, 3, 4].map((frame) => bandByDefinition(samples, frame, band));
    const mean = expected.reduce((sum, x) => sum + x) / 5;
    for (const [frame, value] of expected.entries())
      expect(bands[frame * SPEAKER_BANDS + band]).toBeCloseTo(value - mean, 3);
  }
});

it('of a tone that begins rise most where its frequency is', () => {
  const tone = sine(1_000, { secs: 0.5, sampleRate: RATE, amplitude: 0.5 });
  const samples = noise(1, RATE, 0.001);
  samples.set(tone, 8_000);
  const bands = speakerBands(samples);
  const last = Array.from(bands.subarray(-SPEAKER_BANDS));
  const step = (toMel(8_000) - toMel(20)) / 81;
  expect(last.indexOf(Math.max(...last))).toBe(Math.round((toMel(1_000) - toMel(20)) / step) - 1);
});

it('do not depend on the level, and are zero in silence', () => {
  const samples = noise(0.2, RATE, 0.1);
  const [loud, quiet] = [speakerBands(samples), speakerBands(samples.map((x) => x / 4))];
  loud.forEach((value, n) => expect(value).toBeCloseTo(quiet[n]!, 3));
  expect(speakerBands(new Float32Array(800)).every((value) => value === 0)).toBe(true);
});
