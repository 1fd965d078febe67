import { FINGERPRINT_STEP_SECS, PAUSE_BITS } from './recording-fingerprint';

/** Fewer steps than these that both have sound in say too little: half a second. */
const FEWEST_STEPS = Math.round(0.5 / FINGERPRINT_STEP_SECS);
/** As many shifts as are compared in full. */
const MOST_SHIFTS = 5;
/** A step that is found at more places than these is one of a steady sound, which says nothing about the shift. */
const MOST_PLACES = 50;
/** Haitsma and Kalker: below this, two recordings are the same. Those that are not differ in about half of their bits. */
export const SAME_BELOW = 0.35;

export interface Similarity {
  /** Share of bits that differ where both have sound, 0 to 1. */
  bitErrorRate: number;
  /** For how long both have sound at the same time, s. */
  comparedSecs: number;
}

/**
 * How alike two recordings are, at the shift in time where they are most alike; null when no shift has half a second
 * of sound in both.
 */
export function compareFingerprints(a: Uint32Array, b: Uint32Array): Similarity | null {
  const found = likelyShifts(a, b)
    .map((shift) => compareAt(a, b, shift))
    .filter((similarity) => similarity !== null);
  return found.length === 0
    ? null
    : found.reduce((best, each) => (each.bitErrorRate < best.bitErrorRate ? each : best));
}

/** The shifts at which most steps agree in every bit, and those next to them. */
function likelyShifts(a: Uint32Array, b: Uint32Array): number[] {
  const places = new Map<number, number[]>();
  b.forEach((bits, step) => {
    if (bits === PAUSE_BITS) return;
    const known = places.get(bits);
    if (known) known.push(step);
    else places.set(bits, [step]);
  });
  const votes = new Map<number, number>();
  a.forEach((bits, step) => {
    const others = places.get(bits) ?? [];
    if (others.length > MOST_PLACES) return;
    for (const other of others) votes.set(other - step, (votes.get(other - step) ?? 0) + 1);
  });
  const best = [...votes].sort((x, y) => y[1] - x[1]).slice(0, MOST_SHIFTS);
  return [...new Set(best.flatMap(([shift]) => [shift - 1, shift, shift + 1]))];
}

function compareAt(a: Uint32Array, b: Uint32Array, shift: number): Similarity | null {
  let [steps, different] = [0, 0];
  for (let n = Math.max(0, -shift); n < Math.min(a.length, b.length - shift); n++) {
    if (a[n] === PAUSE_BITS || b[n + shift] === PAUSE_BITS) continue;
    steps++;
    different += bitCount(a[n]! ^ b[n + shift]!);
  }
  if (steps < FEWEST_STEPS) return null;
  return { bitErrorRate: different / (steps * 32), comparedSecs: steps * FINGERPRINT_STEP_SECS };
}

/** How many bits are set (the parallel sum of "Hacker's Delight", 5-1). */
export function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
