// Development: everything runs, and a saved file is live as soon as api and worker have started again. PostgreSQL stays up.
// A saved file is translated alone, in milliseconds; the type check follows in the background and prints what it finds.
import { fork, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { buildIfNeeded, sourceFiles } from './build-if-needed.mjs';

const EVERY_MS = 300;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);

await buildIfNeeded();
const saved = savedTimes();
const launcher = fork(join(dist, 'src', 'main.js'), ['start'], { cwd: root });
const checker = spawn(
  process.execPath,
  [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--noEmit', '--watch', '--preserveWatchOutput'],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
);
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
  if (launcher.connected) launcher.send('restart');
}, EVERY_MS);

function savedTimes() {
  const times = new Map();
  for (const file of sourceFiles()) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat) times.set(file, stat.mtimeMs);
  }
  return times;
}

function translate(file) {
  const target = join(dist, relative(root, file)).replace(/\.ts$/, '.js');
  const source = readFileSync(file, 'utf8');
  const { outputText } = ts.transpileModule(source, {
    fileName: file,
    compilerOptions: { ...options, sourceMap: false },
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(
    target,
    outputText.replace(/(["'])@app\/([^"']+)\1/g, (_, quote, name) => {
      const path = relative(dirname(target), join(dist, 'libs', name));
      return quote + (path.startsWith('.') ? path : `./${path}`) + quote;
    }),
  );
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => launcher.kill(signal));

// A SIGTERM to npm ends the shell between npm and this script, and nothing else.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && launcher.kill('SIGTERM'), 1_000);

launcher.on('exit', (code) => {
  checker.kill();
  process.exit(code ?? 1);
});
