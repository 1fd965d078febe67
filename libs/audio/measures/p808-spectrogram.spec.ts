import { cutWindows } from './dnsmos-windows';
import { p808Spectrogram, SPECTROGRAM_SAMPLES, SPECTROGRAM_SHAPE } from './p808-spectrogram';

const RATE = 16_000;
const BANDS = 120;
const tone = (hz: number, secs = 9, level = 0.5) =>
  Float32Array.from({ length: secs * RATE }, (_, n) => level * Math.sin((2 * Math.PI * hz * n) / RATE));
const frame = (spectrogram: Float32Array, n: number) => [...spectrogram.subarray(n * BANDS, (n + 1) * BANDS)];

describe('a P.808 spectrogram', () => {
  it('has 900 frames of 120 bands for nine seconds', () => {
    expect(SPECTROGRAM_SHAPE).toEqual([900, 120]);
    expect(SPECTROGRAM_SAMPLES).toBe(144_000);
    expect(p808Spectrogram(tone(1_000))).toHaveLength(900 * 120);
  });

  it('of silence is its own maximum everywhere', () => {
    expect(new Set(p808Spectrogram(new Float32Array(SPECTROGRAM_SAMPLES)))).toEqual(new Set([1]));
  });

  // 121 steps of the mel scale, of which 15 lie in the first kHz and 27 / ln 6.4 * ln 8 = 30.24 above it.
  it.each([
    [500, 7.5],
    [1_000, 15],
    [4_000, 15 + (27 / Math.log(6.4)) * Math.log(4)],
  ])('has a tone of %d Hz at its place on the mel scale', (hz, mels) => {
    const bands = frame(p808Spectrogram(tone(hz)), 450);
    const loudest = bands.indexOf(Math.max(...bands));
    const expected = (mels * 121) / (15 + (27 / Math.log(6.4)) * Math.log(8)) - 1;
    expect(Math.abs(loudest - expected)).toBeLessThan(1);
  });

  it('is the same at any level, from -1 (80 dB down) to 1', () => {
    const [loud, soft] = [p808Spectrogram(tone(700)), p808Spectrogram(tone(700, 9, 0.05))];
    const values = [...loud].sort((a, b) => a - b);
    expect([values[0], values.at(-1)]).toEqual([-1, 1]);
    const differences = loud.map((value, n) => Math.abs(value - soft[n]!));
    expect(differences.reduce((a, b) => Math.max(a, b))).toBeLessThan(1e-4);
  });

  it('has bands of one area: a click, which has every frequency, is as loud in wide ones as in narrow ones', () => {
    const click = new Float32Array(SPECTROGRAM_SAMPLES);
    click[450 * 160] = 1;
    const wide = frame(p808Spectrogram(click), 450).slice(60);
    expect(Math.max(...wide) - Math.min(...wide)).toBeLessThan(2 / 40);
  });

  it('falls by 1 for 40 dB', () => {
    const twoLevels = tone(1_000);
    for (let n = SPECTROGRAM_SAMPLES / 2; n < SPECTROGRAM_SAMPLES; n++) twoLevels[n]! *= 0.01;
    const spectrogram = p808Spectrogram(twoLevels);
    const [before, after] = [200, 700].map((at) => Math.max(...frame(spectrogram, at)));
    expect(before! - after!).toBeCloseTo(1, 2);
  });

  it('begins with a frame that is half silence', () => {
    const spectrogram = p808Spectrogram(tone(1_000));
    const [first, second] = [0, 1].map((at) => Math.max(...frame(spectrogram, at)));
    expect(second! - first!).toBeCloseTo((20 * Math.log10(2)) / 40, 1);
  });

  it('of a short recording repeats it', () => {
    const window = cutWindows(tone(1_000, 3), RATE);
    const spectrogram = p808Spectrogram(window.subarray(0, SPECTROGRAM_SAMPLES));
    expect(frame(spectrogram, 750)).toEqual(frame(spectrogram, 150).map((value) => expect.closeTo(value, 3)));
    expect(Math.max(...frame(spectrogram, 899))).toBeCloseTo(1, 1);
  });
});
