import { cut, reRecorded } from '../../../test/support/audio/clips';
import { speechLike } from '../../../test/support/audio/signals';
import { CLIP, CLIP_BELOW, findClip } from './find-clip';
import { fingerprintRecording } from './recording-fingerprint';

const RATE = 16_000;
const sound = (seed: number) => ({ samples: speechLike(8, RATE, { level: 0.1, seed }), sampleRate: RATE });
const stepsOf = ({ samples, sampleRate }: ReturnType<typeof sound>) =>
  fingerprintRecording(samples, sampleRate, CLIP).steps;
const RECORDING = sound(31);
const whole = stepsOf(RECORDING);

it('finds two seconds of a recording, from the middle and at its ends', () => {
  for (const at of [0, 2.9, 4.9])
    expect(findClip(stepsOf(cut(RECORDING, at, 2)), whole)!.bitErrorRate).toBeLessThan(0.1);
});

it('finds what a loudspeaker has played, of which no step is as it was', () => {
  const clip = stepsOf(reRecorded(cut(RECORDING, 2, 3), { rt60: 0.4, directDb: 3, snrDb: 15 }));
  const found = findClip(clip, whole)!;
  expect(found.bitErrorRate).toBeLessThan(CLIP_BELOW);
  expect(found.comparedSecs).toBeGreaterThanOrEqual(1);
});

it('takes nothing else for it', () => {
  for (const seed of [32, 33, 34])
    expect(findClip(stepsOf(cut(sound(seed), 2, 3)), whole)?.bitErrorRate ?? 1).toBeGreaterThan(CLIP_BELOW);
});

it('does not take a clip for a recording that has one word of it, among others', () => {
  const clip = stepsOf(cut(RECORDING, 2, 3));
  const others = stepsOf(sound(32));
  const shared = clip.slice(0, Math.ceil(clip.length / 2));
  const joined = Uint32Array.from([...others.subarray(0, 100), ...shared, ...others.subarray(100)]);
  expect(findClip(clip, joined)?.bitErrorRate ?? 1).toBeGreaterThan(CLIP_BELOW);
});

it('says nothing of a clip that is silent, or has less than a second of sound', () => {
  expect(findClip(stepsOf({ samples: new Float32Array(2 * RATE), sampleRate: RATE }), whole)).toBeNull();
  expect(findClip(whole.subarray(60, 120), whole)).toBeNull();
  expect(findClip(whole, new Uint32Array(0))).toBeNull();
});
