import { createHash } from 'node:crypto';

/**
 * A repeatable source of numbers in [0, 1), seeded by everything that should make a difference (SHA-256 of the parts,
 * then the mulberry32 generator).
 */
export function seededRandom(...parts: (string | number)[]): () => number {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest();
  return mulberry32(digest.readUInt32LE(0));
}

/** A small, fast generator for noise: 32 bits of state, numbers in [0, 1). */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
