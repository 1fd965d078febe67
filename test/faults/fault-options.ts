/** The options of `npm run test:faults`; a short storm with a fixed seed when the whole suite runs. */
export const FAULT_OPTIONS = {
  isLong: process.env.FAULT_MINUTES !== undefined,
  stormMs: Number(process.env.FAULT_MINUTES ?? 20 / 60) * 60_000,
  seed: Number(process.env.FAULT_SEED ?? 1),
  voices: Number(process.env.FAULT_VOICES ?? 60),
};

/** A repeatable source of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Waits for a part of the schedule of faults or of the load to begin. */
export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
