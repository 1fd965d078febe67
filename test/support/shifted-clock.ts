/**
 * Node's clock in a process that is loaded with this. The clock of the machine and the database stay right.
 */
const SHIFT_CLOCK = `
  let shift = Number(process.env.SHIFT_CLOCK_MS);
  process.on('SIGUSR2', () => { shift += Number(process.env.JUMP_CLOCK_MS); });
  const now = Date.now;
  globalThis.Date = class extends Date {
    constructor(...args) { args.length === 0 ? super(now() + shift) : super(...args); }
    static now() { return now() + shift; }
  };`;

/** What a Node process is started with for its clock to be fast by `ms`, or slow, and to jump by `jumpMs` on SIGUSR2. */
export function shiftedClock({ ms = 0, jumpMs = 0 }): { env: NodeJS.ProcessEnv; execArgv: string[] } {
  if (ms === 0 && jumpMs === 0) return { env: {}, execArgv: [] };
  const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(SHIFT_CLOCK)}`];
  return { env: { SHIFT_CLOCK_MS: String(ms), JUMP_CLOCK_MS: String(jumpMs) }, execArgv };
}
