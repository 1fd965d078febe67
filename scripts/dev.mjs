// Development: everything runs, and a saved file is live a few seconds later. PostgreSQL stays up between builds.
import { fork, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded, nestCommand } from './build-if-needed.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

buildIfNeeded();
const launcher = fork(join(root, 'dist', 'src', 'main.js'), ['start'], { cwd: root });
const [node, nest] = nestCommand;
const builder = spawn(node, [nest, 'build', '--watch', '--preserveWatchOutput'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});

let builds = 0;
createInterface({ input: builder.stdout }).on('line', (line) => {
  const found = /Found (\d+) errors?/.exec(line);
  if (!found && !/Starting|File change/.test(line) && line.trim()) console.log(line);
  // The first one only repeats the build from above.
  if (found?.[1] === '0' && builds++ > 0 && launcher.connected) launcher.send('restart');
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => launcher.kill(signal));

// A SIGTERM to npm ends the shell between npm and this script, and nothing else.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && launcher.kill('SIGTERM'), 1_000).unref();

launcher.on('exit', (code) => {
  builder.kill();
  process.exit(code ?? 1);
});
