/** The options of `npm run test:fuzz`; a few requests with a fixed seed when the whole suite runs. */
export const FUZZ_OPTIONS = {
  isLong: process.env.FUZZ_COUNT !== undefined,
  count: Number(process.env.FUZZ_COUNT ?? 800),
  /** Of messages on speech sockets. */
  sequences: Number(process.env.FUZZ_SEQUENCES ?? 120),
  seed: Number(process.env.FUZZ_SEED ?? 1),
  minutes: Number(process.env.FUZZ_MINUTES ?? 10),
};
