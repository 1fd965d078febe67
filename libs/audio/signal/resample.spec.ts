import { resample } from './resample';

function tone(hz: number, sampleRate: number, secs = 0.5): Float32Array {
  return Float32Array.from({ length: sampleRate * secs }, (_, n) =>
    Math.sin((2 * Math.PI * hz * n) / sampleRate),
  );
}

/** RMS of the middle, away from the edges of the filter, in dB re a full-scale sine. */
function levelDb(samples: Float32Array): number {
  const middle = samples.subarray(samples.length / 4, (samples.length * 3) / 4);
  const power = middle.reduce((sum, x) => sum + x * x, 0) / middle.length;
  return 10 * Math.log10(power * 2 + 1e-20);
}

describe('resample', () => {
  it.each([
    [48000, 16000],
    [44100, 48000],
    [16000, 44100],
    [22050, 24000],
    [44101, 16000],
  ])('keeps a tone in the passband exactly in place, %i to %i Hz', (from, to) => {
    const output = resample(tone(1000, from), from, to);
    const expected = tone(1000, to);
    const edge = 400;
    const worst = Math.max(
      ...output.subarray(edge, output.length - edge).map((x, n) => Math.abs(x - (expected[n + edge] ?? 0))),
    );
    expect(worst).toBeLessThan(from === 44101 ? 5e-3 : 1e-3);
  });

  it.each([
    [48000, 16000, 8600],
    [48000, 8000, 5000],
    [44100, 22050, 12000],
    [44100, 8000, 4400],
  ])('removes what the new rate cannot carry by 80 dB, %i to %i Hz', (from, to, hz) => {
    expect(levelDb(resample(tone(hz, from), from, to))).toBeLessThan(-80);
  });

  it('keeps the images of an upsampled tone 80 dB down', () => {
    const output = resample(tone(7000, 16000), 16000, 48000);
    const image = tone(9000, 48000);
    const leak = output.reduce((sum, x, n) => sum + x * image[n]!, 0) / (output.length / 2);
    expect(20 * Math.log10(Math.abs(leak) + 1e-12)).toBeLessThan(-80);
  });

  it('is flat to 0.1 dB up to 88 % of the slower Nyquist frequency', () => {
    expect(Math.abs(levelDb(resample(tone(7040, 48000), 48000, 16000)))).toBeLessThan(0.1);
  });

  it.each([
    [16000, 44100, 160, 441],
    [44100, 16000, 441, 160],
    [48000, 16000, 3, 1],
    [50, 53, 50, 53],
  ])('gives the same samples wherever in the input they are, %i to %i Hz', (from, to, down, up) => {
    const noise = Float32Array.from({ length: 20_000 }, (_, n) => Math.sin(n * n));
    const early = resample(noise, from, to);
    const late = resample(Float32Array.of(...new Float32Array(down), ...noise), from, to).subarray(up);
    const edge = 300;
    const differing = early.filter((sample, n) => n >= edge && n < early.length - edge && sample !== late[n]);
    expect(differing).toHaveLength(0);
  });

  it('gives the duration back to within a sample', () => {
    expect(resample(new Float32Array(48001), 48000, 22050)).toHaveLength(22050);
    expect(resample(new Float32Array(0), 48000, 22050)).toHaveLength(0);
  });
});
