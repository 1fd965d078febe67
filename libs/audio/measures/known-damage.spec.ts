import { synthesizeWithFlite } from '@app/voice-engine/flite-synthesizer';
import { measureRecording } from './measure-recording';
import { resample } from '../signal/resample';
import { inRoom, joined, mixed, noise, sine } from '../../../test/support/audio/signals';

const RATE = 16_000;
const TEXT =
  'The harbour was quiet that morning, and the boats lay still while the fog moved slowly over the sea.';

/** Synthetic speech in words with pauses between them, which Flite leaves digitally silent. */
function speak(voice: 'slt' | 'rms' | 'awb'): Float32Array {
  const pause = new Float32Array(RATE * 0.4);
  const parts = TEXT.split(',').flatMap((part) => [
    pause,
    synthesizeWithFlite(part, { voice, f0: 150, f0sd: 20, stretch: 1 }).samples,
  ]);
  const speech = joined(...parts, pause);
  return mixed(speech, noise(speech.length / RATE, RATE, 1e-5, 3));
}

const measure = (samples: Float32Array, rate = RATE) => measureRecording({ samples, sampleRate: rate });
const db = (ratio: number) => 20 * Math.log10(ratio);

it.each([
  ['a calm voice near 180 Hz', { voice: 'slt', f0: 181, f0sd: 12, stretch: 1 }],
  ['a monotonous voice near 90 Hz', { voice: 'awb', f0: 90, f0sd: 3, stretch: 1.1 }],
  ['a robot near 120 Hz', { voice: 'kal16', f0: 124, f0sd: 1, stretch: 1 }],
] as const)('%s is not taken for hum', async (_, settings) => {
  const { samples, sampleRate } = synthesizeWithFlite(TEXT, settings);
  const { humDb, humProminenceDb } = await measure(samples, sampleRate);
  expect([humDb, humProminenceDb]).toEqual([null, 0]);
});

describe.each(['slt', 'rms', 'awb'] as const)('on speech of %s', (voice) => {
  let speech: Float32Array;
  let secs: number;
  /** Level of the active speech above 200 Hz. */
  let speechDb: number;
  beforeAll(async () => {
    speech = speak(voice);
    secs = speech.length / RATE;
    const { snrDb, noiseFloorDb } = await measure(speech);
    speechDb = snrDb! + noiseFloorDb!;
  });

  it.each([10, 20, 30])('added noise %i dB below it is read within 2 dB', async (snr) => {
    const rms = 10 ** ((speechDb - snr) / 20) * Math.sqrt(40 / 39);
    const { snrDb } = await measure(mixed(speech, noise(secs, RATE, rms, 5)));
    expect(Math.abs(snrDb! - snr)).toBeLessThan(2);
  });

  it.each([0.5, 0.3, 0.2])('samples cut off at %d of the peak are counted within 15 %%', async (share) => {
    const limit = speech.reduce((peak, x) => Math.max(peak, Math.abs(x)), 0) * share;
    const clipped = speech.map((x) => Math.max(-limit, Math.min(limit, x)));
    const truth = speech.filter((x) => Math.abs(x) >= limit).length / speech.length;
    const { clippedRatio } = await measure(clipped);
    expect(Math.abs(clippedRatio / truth - 1)).toBeLessThan(0.15);
  });

  /** What is heard of a tone beside one of 150 Hz, dB (A-weighting, IEC 61672-1: -30.2, -26.2, and -13.4 dB for 150 Hz). */
  it.each([
    [50, -30, -16.8],
    [60, -30, -12.8],
    [50, -40, -16.8],
  ])('hum of %i Hz at %i dB re the speech is read within 3 dB', async (hz, level, heard) => {
    const amplitude = 10 ** ((speechDb + level) / 20) * Math.SQRT2;
    const { humDb, humProminenceDb } = await measure(
      mixed(speech, sine(hz, { secs, sampleRate: RATE, amplitude })),
    );
    expect(Math.abs(humDb! - level - heard)).toBeLessThan(3);
    expect(humProminenceDb).toBeGreaterThan(15);
  });

  it.each([4_000, 8_000, 11_025])(
    'sound that was once at %i Hz ends at half of that, within 350 Hz',
    async (rate) => {
      const limited = resample(resample(speech, RATE, rate), rate, RATE);
      expect(Math.abs((await measure(limited)).bandwidthHz - rate / 2)).toBeLessThan(350);
    },
  );

  it('3 s of room tone behind it moves neither where it ends nor its noise', async () => {
    const before = await measure(speech);
    const after = await measure(joined(speech, noise(3, RATE, 1e-5, 9)));
    expect(Math.abs(after.bandwidthHz - before.bandwidthHz)).toBeLessThan(100);
    expect(Math.abs(after.snrDb! - before.snrDb!)).toBeLessThan(1);
  });

  it.each([
    [0.3, 0.15],
    [0.6, 0.25],
    [1.2, 0.5],
  ])('a room that rings for %d s is read within %d s', async (rt60, tolerance) => {
    const { rt60Secs } = await measure(inRoom(speech, RATE, rt60, 1));
    expect(Math.abs(rt60Secs! - rt60)).toBeLessThan(tolerance);
  });

  it.each([1, 3, 6])('%i drop-outs in loud sound are counted exactly', async (count) => {
    const holed = speech.slice();
    const size = RATE * 0.02;
    const edge = RATE * 0.004;
    const power = (at: number) => db(Math.hypot(...speech.subarray(at, at + edge)) / Math.sqrt(edge) + 1e-9);
    const places = Array.from(
      { length: Math.floor(speech.length / size) - 4 },
      (_, n) => (n + 2) * size,
    ).filter((at) => power(at - edge) > speechDb - 8 && power(at + size) > speechDb - 8);
    expect(places.length).toBeGreaterThan(count * 2);
    for (let n = 0; n < count; n++) {
      const at = places[Math.floor(((n + 0.5) * places.length) / count)]!;
      holed.fill(0, at, at + size);
    }
    expect(((await measure(holed)).dropoutsPer10Secs * secs) / 10).toBeCloseTo(count, 5);
  });
});
