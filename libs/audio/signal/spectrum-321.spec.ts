import { Spectrum321, SPECTRUM_321_BINS } from './spectrum-321';

const SIZE = 321;

/** By the definition of the transform. */
function naivePower(frame: number[]): number[] {
  return Array.from({ length: SPECTRUM_321_BINS }, (_, k) => {
    let [re, im] = [0, 0];
    frame.forEach((sample, n) => {
      const weighted = sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / SIZE));
      re += weighted * Math.cos((2 * Math.PI * k * n) / SIZE);
      im -= weighted * Math.sin((2 * Math.PI * k * n) / SIZE);
    });
    return re * re + im * im;
  });
}

const samples = Float32Array.from(
  { length: 1_000 },
  (_, n) => Math.sin(n * n * 0.37) + 0.3 * Math.cos(n * 0.2),
);

it.each([
  ['within the sound', 123],
  ['before its beginning', -160],
  ['past its end', 850],
])('the spectrum of a frame %s is that of the plain transform', (_, offset) => {
  const power = new Float64Array(SPECTRUM_321_BINS);
  new Spectrum321().measure(samples, offset, power);
  const expected = naivePower(Array.from({ length: SIZE }, (_n, n) => samples[offset + n] ?? 0));
  expect(SPECTRUM_321_BINS).toBe(161);
  power.forEach((value, k) => expect(value).toBeCloseTo(expected[k]!, 8));
});

it('nothing of an earlier frame is left', () => {
  const spectrum = new Spectrum321();
  const power = new Float64Array(SPECTRUM_321_BINS);
  spectrum.measure(samples, 0, power);
  spectrum.measure(samples, 2_000, power);
  expect([...power]).toEqual(Array(SPECTRUM_321_BINS).fill(0));
});
