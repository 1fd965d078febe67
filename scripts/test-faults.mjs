// npm run test:faults -- [PART…] [--backend redis|postgres] [--minutes N] [--seed N] [--voices N]
// Runs the fault suites of test/faults at length; PART is the beginning of a file name there, for example "storm".
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    voices: { type: 'string', default: '10000' },
  },
});

const BACKENDS = ['postgres', 'redis'];
if (values.backend !== undefined && !BACKENDS.includes(values.backend))
  refuse(`--backend ${values.backend} is not accepted; give redis or postgres, or nothing for both.`);
for (const name of ['minutes', 'seed', 'voices']) {
  if (!/^\d+(\.\d+)?$/.test(values[name])) refuse(`--${name} wants a number, not "${values[name]}".`);
}

function refuse(message) {
  console.error(message);
  process.exit(1);
}

const projects = (values.backend ? [values.backend] : BACKENDS).map((backend) => `faults-${backend}`);
const parts = (positionals.length > 0 ? positionals : ['']).map((part) => `test/faults/${part}`);
// After a fault that failed its test, requests over broken links may never end, and Node would spin at its exit for ever.
const args = ['jest', '-i', '--forceExit', '--selectProjects', ...projects, '--testPathPatterns', ...parts];
const { status } = spawnSync('npx', args, {
  stdio: 'inherit',
  env: {
    ...process.env,
    FAULT_MINUTES: values.minutes,
    FAULT_SEED: values.seed,
    FAULT_VOICES: values.voices,
  },
});
process.exit(status ?? 1);
