import { measureClipping, measureSaturation } from './clipping';
import { findClicks } from './clicks';
import { findDropouts } from './dropouts';
import { measureHum } from './mains-hum';
import { measureBandwidth } from './bandwidth';
import { findExtremes } from '../signal/extremes';
import { resample } from '../signal/resample';
import { mixed, noise, scaled, sine, speechLike } from '../../../test/support/audio/signals';
import { measureTruePeak } from './true-peak';

const RATE = 16000;
const SPEECH = speechLike(8, RATE);
const PEAK = SPEECH.reduce((peak, x) => Math.max(peak, Math.abs(x)), 0);
/** Without a fade the sharp ends ring above the sine itself. */
const faded = (signal: Float32Array) =>
  signal.map((x, n) => x * Math.min(1, n / 500, (signal.length - 1 - n) / 500));
const truePeakOf = (signal: Float32Array) => measureTruePeak(signal, findExtremes(signal, RATE));
const clippingOf = (signal: Float32Array) => measureClipping(signal, RATE, findExtremes(signal, RATE));
const saturationOf = (signal: Float32Array) => measureSaturation(signal, findExtremes(signal, RATE));
const db = (factor: number) => 20 * Math.log10(factor);

describe('measureTruePeak', () => {
  /** EBU Tech 3341 cases 15-18: sines at a quarter and less of the rate whose samples miss the peak; +0.2/-0.4 dB. */
  it.each([
    [4, 0, 0.5, -6],
    [4, 45, 0.5, -6],
    [6, 60, 0.5, -6],
    [8, 67.5, 0.5, -6],
    [4, 45, 1.41, 3],
  ])('finds the peak of a sine of rate/%i at phase %d', (divisor, phase, amplitude, expected) => {
    const signal = sine(48000 / divisor, {
      secs: 0.2,
      sampleRate: 48000,
      amplitude,
      phase: (phase * Math.PI) / 180,
    });
    const found = db(truePeakOf(faded(signal)));
    expect(found).toBeGreaterThan(expected - 0.4);
    expect(found).toBeLessThan(expected + 0.2);
  });

  it('is the sample peak of a single sample, and zero of nothing', () => {
    expect(truePeakOf(Float32Array.of(0, 0, -0.5, 0, 0))).toBe(0.5);
    expect(truePeakOf(new Float32Array(0))).toBe(0);
  });
});

describe('measureClipping', () => {
  it.each([0.9, 0.7, 0.5, 0.3])('counts the samples cut off at %d of the peak', (share) => {
    const limit = PEAK * share;
    const truth = SPEECH.filter((x) => Math.abs(x) >= limit).length / SPEECH.length;
    const clipped = SPEECH.map((x) => Math.max(-limit, Math.min(limit, x)));
    expect(clippingOf(clipped).ratio).toBeCloseTo(truth, 4);
    expect(clippingOf(scaled(clipped, 0.5)).ratio).toBeCloseTo(truth, 4);
  });

  it.each([
    ['whole speech', SPEECH],
    ['a full-scale sine', sine(100, { secs: 1, sampleRate: 48000 })],
    ['noise', noise(1, RATE, 0.3)],
    ['silence', new Float32Array(1000)],
    ['nothing', new Float32Array(0)],
  ])('is 0 for %s', (_, signal) => {
    expect(clippingOf(signal).ratio).toBe(0);
  });

  it('counts what is far above full scale, where playing it cuts it, and not what a codec adds to a peak', () => {
    const hot = scaled(SPEECH, 8 / PEAK);
    const above = hot.filter((x) => Math.abs(x) > 1).length / hot.length;
    expect(above).toBeGreaterThan(0.05);
    expect(clippingOf(hot).ratio).toBeCloseTo(above, 6);
    expect(clippingOf(scaled(SPEECH, 1.2 / PEAK)).ratio).toBe(0);
  });

  it('saturation still shows once the flat tops are rounded off', () => {
    const limit = PEAK * 0.3;
    const clipped = SPEECH.map((x) => Math.max(-limit, Math.min(limit, x)));
    const rounded = resample(resample(clipped, RATE, 11025), 11025, RATE);
    expect(clippingOf(rounded).ratio).toBe(0);
    expect(saturationOf(rounded)).toBeGreaterThan(saturationOf(SPEECH) + 0.15);
  });
});

describe('findDropouts', () => {
  const rms = 0.05;
  const steady = mixed(noise(10, RATE, rms, 3), sine(150, { secs: 10, sampleRate: RATE, amplitude: 0.05 }));

  it.each([0, 1, 3, 10])('counts %i holes in 10 s', (holes) => {
    const signal = steady.slice();
    for (let hole = 0; hole < holes; hole++) signal.fill(0, 8000 + hole * 14000, 8000 + hole * 14000 + 480);
    expect(findDropouts(signal, RATE, rms).per10Secs).toBeCloseTo(holes, 5);
  });

  it('counts packets that were sent twice, and gaps that quiet noise fills', () => {
    const repeated = steady.slice();
    for (const at of [20_000, 60_000]) repeated.copyWithin(at, at - 320, at);
    expect(findDropouts(repeated, RATE, rms).per10Secs).toBeCloseTo(2, 5);
    const filled = steady.slice();
    for (const at of [20_000, 60_000, 90_000]) filled.set(noise(0.02, RATE, rms * 0.003), at);
    expect(findDropouts(filled, RATE, rms).per10Secs).toBeCloseTo(3, 5);
  });

  it.each([
    ['8 bits', SPEECH.map((x) => Math.round(x * 127) / 127)],
    ['a click in silence', SPEECH.map((x, n) => (n % 4000 === 0 ? 0.9 : x * 1e-4))],
  ])('does not take %s for gaps', (_, signal) => {
    expect(findDropouts(signal, RATE, 0.03).per10Secs).toBe(0);
  });

  it('does not count pauses that the sound fades into, digital silence included', () => {
    const signal = SPEECH.map((x) => (Math.abs(x) < 0.0003 ? 0 : x));
    expect(findDropouts(signal, RATE, 0.03).per10Secs).toBe(0);
  });

  it('does not count the silence before and after', () => {
    const signal = steady.slice();
    signal.fill(0, 0, 3000);
    signal.fill(0, signal.length - 3000);
    expect(findDropouts(signal, RATE, rms).per10Secs).toBe(0);
  });
});

describe('findClicks', () => {
  it.each([0, 1, 4])('counts %i clicks in 10 s', (clicks) => {
    const signal = speechLike(10, RATE);
    for (let click = 0; click < clicks; click++) signal[20_000 + click * 30_000]! += 0.8;
    expect(findClicks(signal, RATE, 0.03).per10Secs).toBeCloseTo(clicks, 5);
  });

  it('counts those of a short recording as if it had 5 s', () => {
    const signal = speechLike(2, RATE);
    signal[16_000]! += 0.8;
    expect(findClicks(signal, RATE, 0.03).per10Secs).toBeCloseTo(2, 5);
  });
});

describe('measureHum', () => {
  const hum = (hz: number, amplitude: number) =>
    mixed(
      SPEECH,
      sine(hz, { secs: 8, sampleRate: RATE, amplitude }),
      sine(hz * 3, { secs: 8, sampleRate: RATE, amplitude: amplitude / 2 }),
    );

  /** A-weighting (IEC 61672-1), dB. */
  const HEARD = { 50: -30.2, 60: -26.2, 150: -13.4, 180: -11.7 } as const;

  it.each([
    [50, 0.01],
    [60, 0.01],
    [50, 0.004],
    [60, 0.001],
  ] as const)('finds %i Hz with its third harmonic at amplitude %d within 1.5 dB', (hz, amplitude) => {
    const found = measureHum(hum(hz, amplitude), RATE);
    const third = hz === 50 ? 150 : 180;
    const weight = (of: keyof typeof HEARD) => 10 ** ((HEARD[of] - HEARD[150]) / 10);
    const truth = (amplitude ** 2 * (weight(hz) + 0.25 * weight(third))) / 2;
    expect(Math.abs(10 * Math.log10(found.power / truth))).toBeLessThan(1.5);
    expect(found.prominenceDb).toBeGreaterThan(15);
  });

  it.each([
    ['a voice at 100 Hz', speechLike(8, RATE, { f0: 100 })],
    ['a voice at 120 Hz', speechLike(8, RATE, { f0: 120 })],
    ['noise', noise(8, RATE, 0.01)],
    ['silence', new Float32Array(RATE * 8)],
    ['a moment', SPEECH.subarray(0, 4000)],
  ])('finds none in %s', (_, signal) => {
    expect(measureHum(signal, RATE).prominenceDb).toBeLessThan(15);
  });
});

describe('measureBandwidth', () => {
  const wide = mixed(noise(3, 48000, 0.05), sine(300, { secs: 3, sampleRate: 48000, amplitude: 0.1 }));

  it.each([4000, 8000, 11025, 16000, 32000])(
    'finds the edge of sound that was once at %i Hz within 300 Hz',
    (rate) => {
      const limited = resample(resample(wide, 48000, rate), rate, 48000);
      const { edgeHz, dropDb } = measureBandwidth(limited, 48000);
      expect(Math.abs(edgeHz - rate / 2)).toBeLessThan(300);
      expect(dropDb).toBeGreaterThan(25);
    },
  );

  it('reaches the Nyquist frequency when the sound does', () => {
    expect(measureBandwidth(wide, 48000).edgeHz).toBeGreaterThan(23_500);
  });
});
