import { bitCount, type Similarity } from './compare-fingerprints';
import { FINGERPRINT_STEP_SECS, PAUSE_BITS, type RecordingFingerprint } from './recording-fingerprint';

/** Shorter clips say too little. */
export const SHORTEST_CLIP_SECS = 2;
/** How a clip is looked up: by more variants than a whole recording, which has more steps. A loudspeaker turns many bits. */
export const CLIP = { longestSecs: 20, doubtfulBits: 5 };
/**
 * Below this, a clip was cut out of a recording. Stricter than for whole recordings: a clip has few steps, and is tried at every
 * place. What the most alike of others came to is in docs/decisions/reviews.md.
 */
export const CLIP_BELOW = 0.28;
/** In none of three parts may more differ: where one word is the same and the next are not, the whole may seem alike. */
const PART_BELOW = 0.33;
const PARTS = 3;
/** Both have sound in as many steps at least, a second and a half, or in most of a short clip: one word may be spoken again. */
const ENOUGH_STEPS = Math.round(1.5 / FINGERPRINT_STEP_SECS);
const FEWEST_STEPS = Math.round(1 / FINGERPRINT_STEP_SECS);
const MOST_OF_CLIP = 0.75;
/** As many steps of a clip are compared at every place, and all of them at the best ones. */
const PROBES = 128;
const MOST_PLACES = 3;

/**
 * How alike a clip is to the part of a recording that it is most alike to. Every place is tried at which the recording has one of
 * the steps that it was found by: one is enough, and a long recording has few.
 *
 * @param lookups of the fingerprint of the clip
 * @returns null when no place has enough sound in both, or each differs too much in a part
 */
export function findClip(
  { steps: clip, lookups }: Pick<RecordingFingerprint, 'steps' | 'lookups'>,
  recording: Uint32Array,
): Similarity | null {
  const sounding = [...clip.keys()].filter((step) => clip[step] !== PAUSE_BITS);
  if (sounding.length < FEWEST_STEPS) return null;
  const probes = sounding.filter((_, n) => n % Math.ceil(sounding.length / PROBES) === 0);
  const enough = Math.max(FEWEST_STEPS, Math.min(ENOUGH_STEPS, MOST_OF_CLIP * sounding.length));
  const fewest = (probes.length * enough) / sounding.length;
  const best: { shift: number; rate: number }[] = [];
  for (const shift of likelyPlaces(clip.length, new Set(lookups), recording)) {
    const { steps, different } = compareSteps(clip, recording, shift, probes);
    const rate = different / (steps * 32);
    if (steps < fewest || rate >= (best[MOST_PLACES - 1]?.rate ?? Infinity)) continue;
    best.push({ shift, rate });
    best.sort((a, b) => a.rate - b.rate);
    best.length = Math.min(best.length, MOST_PLACES);
  }
  const size = Math.ceil(sounding.length / PARTS);
  const parts = Array.from({ length: PARTS }, (_, n) => sounding.slice(n * size, (n + 1) * size));
  const found = best.flatMap(({ shift }) => {
    const compared = parts.map((part) => compareSteps(clip, recording, shift, part));
    const steps = compared.reduce((sum, part) => sum + part.steps, 0);
    if (steps < enough || compared.some((part) => part.different > PART_BELOW * part.steps * 32)) return [];
    const different = compared.reduce((sum, part) => sum + part.different, 0);
    return { bitErrorRate: different / (steps * 32), comparedSecs: steps * FINGERPRINT_STEP_SECS };
  });
  return found.length === 0 ? null : found.reduce((a, b) => (b.bitErrorRate < a.bitErrorRate ? b : a));
}

/** Where a clip of so many steps would have one of its lookups. */
function* likelyPlaces(length: number, lookups: ReadonlySet<number>, recording: Uint32Array) {
  let next = -length;
  for (const [at, step] of recording.entries()) {
    if (!lookups.has(step | 0)) continue;
    for (next = Math.max(next, at - length + 1); next <= at; next++) yield next;
  }
}

function compareSteps(clip: Uint32Array, recording: Uint32Array, shift: number, at: readonly number[]) {
  let [steps, different] = [0, 0];
  for (const step of at) {
    const other = recording[step + shift];
    if (other === undefined || other === PAUSE_BITS) continue;
    steps++;
    different += bitCount(clip[step]! ^ other);
  }
  return { steps, different };
}
