import { measureRecording } from './measure-recording';
import { resample } from '../signal/resample';
import { mixed, noise, scaled, sine, speechLike } from '../../../test/support/audio/signals';

const RATE = 16_000;
const SPEECH = speechLike(8, RATE, { level: 0.1, seed: 3 });
const placesOf = async (samples: Float32Array) =>
  (await measureRecording({ samples, sampleRate: RATE })).places!;
const changed = (fromSecs: number, toSecs: number, change: (x: number, n: number) => number) =>
  SPEECH.map((x, n) => (n >= fromSecs * RATE && n < toSecs * RATE ? change(x, n) : x));
/** All places of a kind lie within these seconds, and there is one at least. */
const lieWithin = (places: { fromSecs: number; toSecs: number }[], fromSecs: number, toSecs: number) => {
  expect(places.length).toBeGreaterThan(0);
  expect(places.filter((place) => place.fromSecs < fromSecs || place.toSecs > toSecs)).toEqual([]);
};

describe('the places of troubles', () => {
  it('are none in clean speech', async () => {
    expect(await placesOf(SPEECH)).toEqual({
      clipped: [],
      dropouts: [],
      clicks: [],
      tooQuiet: [],
      humHz: [],
    });
  });

  it('are where the recording was cut off, interrupted, clicked and too quiet', async () => {
    const peak = SPEECH.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const limit = (x: number) => Math.max(-1, Math.min(1, (x * 4) / peak));
    lieWithin((await placesOf(changed(2, 4, limit))).clipped, 2, 4);
    const hiss = mixed(SPEECH, noise(8, RATE, 0.05));
    const holes = hiss.map((x, n) => (n > 5 * RATE && n < 7 * RATE && n % 4_000 < 480 ? 0 : x));
    lieWithin((await placesOf(holes)).dropouts, 4.9, 7.1);
    const ticks = await placesOf(changed(3, 3 + 0.5 / RATE, () => 0.9));
    lieWithin(ticks.clicks, 2.99, 3.01);
    lieWithin((await placesOf(changed(4, 7, (x) => x * 0.08))).tooQuiet, 4, 7);
  });

  it('of hum are its frequencies', async () => {
    const hum = mixed(
      ...[50, 100, 150].map((hz) => sine(hz, { secs: 8, sampleRate: RATE, amplitude: 0.01 })),
    );
    expect((await placesOf(mixed(SPEECH, hum))).humHz).toEqual([50, 100, 150]);
  });

  it('of a long recording are in its own time, however much of it was examined', async () => {
    const long = new Float32Array(8_000 * 130);
    const speech = resample(SPEECH, RATE, 8_000);
    for (let at = 0; at + speech.length <= long.length; at += speech.length) long.set(speech, at);
    long.set(scaled(long.subarray(8_000 * 110), 0.02), 8_000 * 110);
    const { tooQuiet } = (await measureRecording({ samples: long, sampleRate: 8_000 })).places!;
    lieWithin(tooQuiet, 109.5, 130);
    expect(tooQuiet.at(-1)!.toSecs).toBeGreaterThan(120);
  });
});
