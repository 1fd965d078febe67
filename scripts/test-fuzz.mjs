// npm run test:fuzz -- [PART…] [--count N] [--sequences N] [--seed N] [--minutes N]
// Runs the fuzz suites of test/fuzz at length: N requests, N sequences of messages on speech sockets, and no longer than so many minutes each. PART is the beginning of a file
// name there, for example "operations"; of "key-trees", N is the number of trees. A finding of "operations" names its own seed:
// the same with --seed and --count 1000 finds it again.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '200000' },
    sequences: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

for (const [name, value] of Object.entries(values)) {
  if (!/^\d+(\.\d+)?$/.test(value)) {
    console.error(`--${name} wants a number, not "${value}".`);
    process.exit(1);
  }
}

const parts = (positionals.length > 0 ? positionals : ['']).map((part) => `test/fuzz/${part}`);
const { status } = spawnSync(
  'npx',
  ['jest', '-i', '--selectProjects', 'fuzz', '--testPathPatterns', ...parts],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_COUNT: values.count,
      FUZZ_SEQUENCES: values.sequences,
      FUZZ_MINUTES: values.minutes,
      FUZZ_SEED: values.seed,
    },
  },
);
process.exit(status ?? 1);
