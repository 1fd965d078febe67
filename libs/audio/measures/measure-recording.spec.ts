import { decideRecording } from '@app/domain/reviews/recording-verdict';
import { measureRecording } from './measure-recording';
import { resample } from '../signal/resample';
import {
  inRoom,
  mixed,
  noise,
  scaled,
  seededRandom,
  sine,
  speechLike,
  suppressed,
  withModulatedNoise,
} from '../../../test/support/audio/signals';

const RATE = 16000;
const SPEECH = speechLike(6, RATE);
const measure = (samples: Float32Array, sampleRate = RATE) => measureRecording({ samples, sampleRate });
const ascending = (values: number[]) => expect(values).toEqual([...values].sort((a, b) => a - b));

/** Level of the active speech above 200 Hz, as the measurement defines it. */
async function withNoise(snrDb: number): Promise<Float32Array> {
  const { snrDb: own, noiseFloorDb } = await measure(SPEECH);
  const noiseRms = 10 ** ((own! + noiseFloorDb! - snrDb) / 20);
  // White noise has a fortieth of its power below 200 Hz at this rate.
  return mixed(SPEECH, noise(6, RATE, noiseRms * Math.sqrt(40 / 39), 4));
}

describe('measureRecording of clean speech', () => {
  it('finds a voice of the right pitch, in the right amount, and no trouble', async () => {
    const m = await measure(SPEECH);
    expect(m.durationSecs).toBe(6);
    expect(m.pitchHz).toBeGreaterThan(105);
    expect(m.pitchHz).toBeLessThan(140);
    expect(m.pitchSpread).toBeGreaterThan(0.03);
    expect(m.speechRatio).toBeGreaterThan(0.35);
    expect(m.speechRatio).toBeLessThan(0.85);
    expect(m.snrDb).toBeGreaterThan(46);
    expect(m.noiseMethod).toBe('pauses');
    expect(m).toMatchObject({ clippedRatio: 0, dropoutsPer10Secs: 0, humDb: null });
    expect(m.saturatedShare).toBeLessThan(0.4);
  });

  it.each([80, 120, 200, 300])('finds a voice at %i Hz within 18 %%', async (f0) => {
    const { pitchHz } = await measure(speechLike(5, RATE, { f0, seed: 2 }));
    expect(Math.abs(pitchHz! / f0 - 1)).toBeLessThan(0.18);
  });

  it('does not depend on the level, except for the levels', async () => {
    const [loud, quiet] = [await measure(SPEECH), await measure(scaled(SPEECH, 0.05))];
    expect(quiet.snrDb).toBeCloseTo(loud.snrDb!, 0);
    expect(quiet.voicedValleyDb).toBeCloseTo(loud.voicedValleyDb!, 0);
    expect(quiet.loudnessLufs! - loud.loudnessLufs!).toBeCloseTo(20 * Math.log10(0.05), 0);
    expect(quiet.truePeakDb - loud.truePeakDb).toBeCloseTo(20 * Math.log10(0.05), 1);
  });

  it('reads a long recording like a short one of the same kind', async () => {
    const long = new Float32Array(RATE * 150);
    for (let at = 0; at + SPEECH.length <= long.length; at += SPEECH.length) long.set(SPEECH, at);
    const [m, short] = [await measure(long), await measure(SPEECH)];
    expect(m.durationSecs).toBe(150);
    expect(Math.abs(m.snrDb! - short.snrDb!)).toBeLessThan(2);
    expect(Math.abs(m.speechRatio - short.speechRatio)).toBeLessThan(0.1);
  }, 20_000);
});

describe('measureRecording of speech in noise', () => {
  it.each([
    [0, 4],
    [5, 2],
    [10, 2],
    [20, 2],
    [30, 2],
  ])('reads an SNR of %i dB within %i dB', async (snr, tolerance) => {
    expect(Math.abs((await measure(await withNoise(snr))).snrDb! - snr)).toBeLessThan(tolerance);
  });

  it('finds the noise without any pause', async () => {
    const m = await measure(noise(4, RATE, 0.05, 8));
    expect(m.noiseMethod).toBe('quietest_moments');
    expect(Math.abs(m.noiseFloorDb! - 20 * Math.log10(0.05))).toBeLessThan(1);
  });

  it('distinguishes rumble from noise: below 200 Hz it does not count', async () => {
    const m = await measure(mixed(SPEECH, sine(40, { secs: 6, sampleRate: RATE, amplitude: 0.02 })));
    expect(m.rumbleDb).toBeGreaterThan(-40);
    expect(m.noiseFloorDb).toBeLessThan(-60);
  });
});

describe('measureRecording of a DC offset', () => {
  const reasonsOf = async (samples: Float32Array) =>
    decideRecording(await measure(samples)).reasons.map((reason) => reason.split('=')[0]);

  it.each([0.02, 0.05, 0.2])('of %d does not take it for rumble, and counts it once', async (offset) => {
    const clean = await measure(SPEECH);
    const shifted = SPEECH.map((x) => x + offset);
    const { rumbleDb, noiseFloorDb, dcOffset } = await measure(shifted);
    expect(dcOffset).toBeCloseTo(offset, 3);
    expect(rumbleDb).toBeCloseTo(clean.rumbleDb!, 0);
    expect(noiseFloorDb).toBeCloseTo(clean.noiseFloorDb!, 0);
    expect(await reasonsOf(shifted)).toContain('dc_offset');
    expect(await reasonsOf(shifted)).not.toContain('rumble');
  });

  it.each([20, 30, 40])('still finds rumble of %i Hz beside it', async (hz) => {
    const rumble = sine(hz, { secs: 6, sampleRate: RATE, amplitude: 0.1 });
    const rumbling = mixed(SPEECH, rumble);
    const shifted = rumbling.map((x) => x + 0.05);
    const { rumbleDb } = await measure(rumbling);
    expect(rumbleDb).toBeGreaterThan(-24);
    expect((await measure(shifted)).rumbleDb).toBeCloseTo(rumbleDb!, 1);
    expect(await reasonsOf(shifted)).toContain('rumble');
  });
});

describe('measureRecording of a long recording that is mostly silent', () => {
  it('hears speech that lies between the parts it looks at first', async () => {
    const rate = 8_000;
    const speech = resample(SPEECH, RATE, rate);
    const long = noise(600, rate, 0.00001);
    // Parts of 10 s begin at 0 s and at 53.6 s.
    for (const [n, x] of speech.entries()) long[30 * rate + n]! += x * 0.1;
    const m = await measure(long, rate);
    const own = await measure(speech, rate);
    expect(decideRecording(m).reasons).not.toContainEqual(expect.stringContaining('no_speech'));
    expect(m.pitchHz! / own.pitchHz!).toBeCloseTo(1, 1);
    expect(m.speechSecs).toBeGreaterThan(own.speechSecs * 0.4);
    expect(m.speechSecs).toBeLessThan(own.speechSecs + 3);
    expect(m.speechRatio).toBeCloseTo(m.speechSecs / 600, 6);
    for (const { fromSecs, toSecs } of m.places!.tooQuiet) {
      expect(fromSecs).toBeGreaterThan(29);
      expect(toSecs).toBeLessThan(38);
    }
    expect(m.places!.tooQuiet.length).toBeGreaterThan(0);
  }, 20_000);
});

describe('measureRecording of distorted speech', () => {
  it.each([
    [16000, 'voicedHfDb'],
    [16000, 'voicedValleyDb'],
    [8000, 'voicedValleyDb'],
  ] as const)('at %i Hz orders MNRU of Q 25, 15 and 5 by %s', async (rate, reading) => {
    const speech = resample(SPEECH, RATE, rate);
    const readings: number[] = [];
    for (const q of [25, 15, 5])
      readings.push((await measure(withModulatedNoise(speech, q), rate))[reading]!);
    ascending(readings);
    expect(readings.at(-1)! - readings[0]!).toBeGreaterThan(8);
  });

  it('has no reading above 5 kHz for telephone speech, also when it is stored at 48 kHz', async () => {
    const telephone = resample(SPEECH, RATE, 8000);
    expect((await measure(telephone, 8000)).voicedHfDb).toBeNull();
    expect((await measure(resample(telephone, 8000, 48000), 48000)).voicedHfDb).toBeNull();
  });

  it('does not take steady noise for distortion', async () => {
    const [clean, noisy] = [await measure(SPEECH), await measure(await withNoise(15))];
    expect(noisy.voicedValleyDb).toBeLessThan(noisy.rawValleyDb! - 6);
    expect(noisy.voicedValleyDb).toBeLessThan(clean.voicedValleyDb! + 3);
    expect(noisy.voicedHfDb).toBeLessThan(clean.voicedHfDb! + 8);
  });
});

describe('measureRecording of processed speech', () => {
  const peakinessOf = async (samples: Float32Array) =>
    (await measure(resample(samples, RATE, 8000), 8000)).unvoicedPeakinessDb!;

  it('reads about 2 dB for unvoiced sounds as they are: clean, in noise, in a room, distorted', async () => {
    for (const natural of [
      SPEECH,
      await withNoise(25),
      inRoom(SPEECH, RATE, 0.3, 6),
      withModulatedNoise(SPEECH, 15),
    ]) {
      expect(await peakinessOf(natural)).toBeLessThan(2.9);
    }
  });

  it('finds the holes that noise suppression leaves', async () => {
    const random = seededRandom(6);
    const whole = suppressed(SPEECH, () => true);
    const holed = suppressed(SPEECH, () => random() < 0.3);
    expect(await peakinessOf(whole)).toBeLessThan(2.9);
    expect(await peakinessOf(holed)).toBeGreaterThan(3.2);
  });
});

describe('measureRecording of speech in a room', () => {
  it.each([
    [0.3, 0.15],
    [0.6, 0.25],
    [1.2, 0.5],
  ])('reads an RT60 of %d s within %d s', async (rt60, tolerance) => {
    const { rt60Secs } = await measure(inRoom(SPEECH, RATE, rt60, 1));
    expect(Math.abs(rt60Secs! - rt60)).toBeLessThan(tolerance);
  });
});

describe('measureRecording of sound without speech', () => {
  const secs = 4;
  it.each([
    ['silence', new Float32Array(RATE * secs)],
    ['white noise', noise(secs, RATE, 0.1)],
    ['a 200 Hz tone', sine(200, { secs, sampleRate: RATE, amplitude: 0.3 })],
    ['a 1 kHz tone', sine(1000, { secs, sampleRate: RATE, amplitude: 0.3 })],
    ['mains hum', sine(50, { secs, sampleRate: RATE, amplitude: 0.3 })],
    ['a click', Float32Array.from({ length: RATE }, (_, n) => (n === 5000 ? 1 : 0))],
    ['one sample', Float32Array.of(0.5)],
    ['nothing', new Float32Array(0)],
    ['a constant', new Float32Array(RATE).fill(0.5)],
  ])('%s is no_speech, with finite readings', async (_, samples) => {
    const m = await measure(samples);
    expect(Object.values(m).filter((value) => typeof value === 'number' && !Number.isFinite(value))).toEqual(
      [],
    );
    expect(decideRecording(m)).toMatchObject({
      grade: 'bad',
      reasons: [expect.stringMatching(/^no_speech=/)],
    });
  });
});
