// npm run test:attacks -- [PART…] [--seconds N]
// Attacks a separate running api, over loopback only, with a good client beside each attack, and prints what the good
// client and the process felt. PART is the name of an attack in test/attacks/attacks.ts, for example "slow-readers".
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' } },
});

if (!/^\d+$/.test(values.seconds) || Number(values.seconds) < 1 || Number(values.seconds) > 120) {
  console.error(`--seconds wants a whole number from 1 to 120, not "${values.seconds}".`);
  process.exit(1);
}

const args = ['jest', '-i', '--selectProjects', 'attacks'];
const { status } = spawnSync('npx', args, {
  stdio: 'inherit',
  env: { ...process.env, ATTACK_PARTS: positionals.join(',') || 'all', ATTACK_SECONDS: values.seconds },
});
process.exit(status ?? 1);
