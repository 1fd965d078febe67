import { cut, reRecorded } from '../../../test/support/audio/clips';
import { speechLike } from '../../../test/support/audio/signals';
import { CLIP, CLIP_BELOW, findClip } from './find-clip';
import { fingerprintRecording } from './recording-fingerprint';

const RATE = 16_000;
const sound = (seed: number) => ({ samples: speechLike(8, RATE, { level: 0.1, seed }), sampleRate: RATE });
const clipOf = ({ samples, sampleRate }: ReturnType<typeof sound>) =>
  fingerprintRecording(samples, sampleRate, CLIP);
const RECORDING = sound(31);
const whole = clipOf(RECORDING).steps;

it('finds two seconds of a recording, from the middle and at its ends', () => {
  for (const at of [0, 2.9, 4.9])
    expect(findClip(clipOf(cut(RECORDING, at, 2)), whole)!.bitErrorRate).toBeLessThan(0.1);
});

it('finds what a loudspeaker has played, of which no step is as it was', () => {
  const clip = clipOf(reRecorded(cut(RECORDING, 2, 3), { rt60: 0.4, directDb: 3, snrDb: 15 }));
  const found = findClip(clip, whole)!;
  expect(found.bitErrorRate).toBeLessThan(CLIP_BELOW);
  expect(found.comparedSecs).toBeGreaterThanOrEqual(1);
});

it('takes nothing else for it', () => {
  for (const seed of [32, 33, 34])
    expect(findClip(clipOf(cut(sound(seed), 2, 3)), whole)?.bitErrorRate ?? 1).toBeGreaterThan(CLIP_BELOW);
});

it('does not take a clip for a recording that has one word of it, among others', () => {
  const clip = clipOf(cut(RECORDING, 2, 3));
  const others = clipOf(sound(32)).steps;
  const shared = clip.steps.slice(0, Math.ceil(clip.steps.length / 2));
  const joined = Uint32Array.from([...others.subarray(0, 100), ...shared, ...others.subarray(100)]);
  expect(findClip(clip, joined)?.bitErrorRate ?? 1).toBeGreaterThan(CLIP_BELOW);
});

it('says nothing of a clip that is silent, or has less than a second of sound', () => {
  expect(findClip(clipOf({ samples: new Float32Array(2 * RATE), sampleRate: RATE }), whole)).toBeNull();
  expect(findClip({ ...clipOf(RECORDING), steps: whole.subarray(60, 120) }, whole)).toBeNull();
  expect(findClip(clipOf(RECORDING), new Uint32Array(0))).toBeNull();
});

it('finds it in ten minutes of other sound', () => {
  const long = Uint32Array.from({ length: 52_000 }, (_, n) => Math.imul(n + 1, 0x9e3779b1) >>> 0);
  expect(findClip(clipOf(cut(RECORDING, 2, 3)), long)).toBeNull();
  long.set(whole, 30_000);
  expect(findClip(clipOf(cut(RECORDING, 2, 3)), long)!.bitErrorRate).toBeLessThan(0.1);
});
