// Development: everything runs, and a saved file is live as soon as what uses it, api or worker, has started again. PostgreSQL stays up.
// A saved file is translated alone, in milliseconds; the type check follows in the background and prints what it finds.
import { fork, spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded, sourceFiles } from './build-if-needed.mjs';
import { translate } from './build-server.mjs';

const EVERY_MS = 300;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

await buildIfNeeded();
// What is saved is translated file by file.
rmSync(join(root, 'dist', 'bundle'), { recursive: true, force: true });
const saved = savedTimes();
const launcher = fork(join(root, 'dist', 'src', 'main.js'), ['start'], {
  cwd: root,
  // Of Node 22 and newer: what has not changed is not compiled again.
  env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'greenroom'), ...process.env },
});
const checker = spawn(
  process.execPath,
  [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--noEmit', '--watch', '--preserveWatchOutput'],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
);
if (checker.pid) setPriority(checker.pid, constants.priority.PRIORITY_LOW);
createInterface({ input: checker.stdout }).on('line', (line) => {
  if (!/Found 0 errors|Starting|File change/.test(line) && line.trim()) console.log(`types      | ${line}`);
});

// Polling the times works on every file system and with every way editors save.
setInterval(() => {
  const changed = [...savedTimes()].filter(([file, time]) => saved.get(file) !== time);
  if (changed.length === 0) return;
  for (const [file, time] of changed) {
    saved.set(file, time);
    translate(file);
  }
  if (launcher.connected) launcher.send({ restart: usersOf(changed.map(([file]) => relative(root, file))) });
}, EVERY_MS);

/** Who has to start again for these files. */
function usersOf(files) {
  const users = ['api', 'worker'];
  const only = users.filter((name) => files.every((file) => file.startsWith(join('apps', name))));
  return only.length > 0 ? only : users;
}

function savedTimes() {
  const times = new Map();
  for (const file of sourceFiles()) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat) times.set(file, stat.mtimeMs);
  }
  return times;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => launcher.kill(signal));

// A SIGTERM to npm ends the shell between npm and this script, and nothing else.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && launcher.kill('SIGTERM'), 1_000);

launcher.on('exit', (code) => {
  checker.kill();
  process.exit(code ?? 1);
});
