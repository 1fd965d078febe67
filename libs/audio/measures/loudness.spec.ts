import { measureLoudness } from './loudness';
import { joined, sine, speechLike } from '../../../test/support/audio/signals';

const RATE = 16000;
const tone = (dbfs: number, secs: number, sampleRate = RATE) =>
  sine(1000, { secs, sampleRate, amplitude: 10 ** (dbfs / 20) });
const stereo = (signal: Float32Array) => [signal, signal];

/** EBU Tech 3341 table 1: stereo 1 kHz sines; the signal and the loudness it must read, +-0.1 LU. */
const CASES: [string, Float32Array, number][] = [
  ['1', tone(-23, 20), -23],
  ['2', tone(-33, 20), -33],
  ['3', joined(tone(-36, 10), tone(-23, 60), tone(-36, 10)), -23],
  ['4', joined(tone(-72, 10), tone(-36, 10), tone(-23, 60), tone(-36, 10), tone(-72, 10)), -23],
  ['5', joined(tone(-26, 20), tone(-20, 20.1), tone(-26, 20)), -23],
];

describe('measureLoudness', () => {
  it.each(CASES)('reads EBU Tech 3341 case %s within 0.1 LU', (_, signal, expected) => {
    expect(Math.abs(measureLoudness(stereo(signal), RATE).integratedLufs! - expected)).toBeLessThan(0.1);
  });

  it.each([8000, 22050, 44100, 48000, 96000])('reads the same at %i Hz', (rate) => {
    expect(Math.abs(measureLoudness(stereo(tone(-23, 3, rate)), rate).integratedLufs! + 23)).toBeLessThan(
      0.1,
    );
  });

  it('reads one channel 3 dB below two, as BS.1770 sums power', () => {
    expect(measureLoudness([tone(-23, 3)], RATE).integratedLufs).toBeCloseTo(-26, 1);
  });

  /** EBU Tech 3342 table 1: two levels, 20 s each; the range is their distance, +-1 LU. */
  it.each([
    [-20, -30, 10],
    [-20, -15, 5],
    [-40, -20, 20],
  ])('reads the range of %i then %i dBFS as %i LU', (first, second, expected) => {
    const signal = joined(tone(first, 20), tone(second, 20));
    expect(Math.abs(measureLoudness(stereo(signal), RATE).rangeLu! - expected)).toBeLessThan(1);
  });

  it('measures the speech, not the pauses', () => {
    const speech = speechLike(6, 16000);
    const withPauses = joined(speech, new Float32Array(16000 * 12));
    const [plain, paused] = [speech, withPauses].map((s) => measureLoudness([s], 16000).integratedLufs!);
    expect(Math.abs(plain! - paused!)).toBeLessThan(0.3);
  });

  it.each([
    ['silence', new Float32Array(RATE)],
    ['nothing', new Float32Array(0)],
  ])('has no value for %s', (_, signal) => {
    expect(measureLoudness([signal], RATE)).toEqual({ integratedLufs: null, rangeLu: null });
  });
});
