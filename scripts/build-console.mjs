// Builds the console to dist/console and prints what a browser loads before its first screen; too much is refused.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { makeConsoleTypes } from './console-types.mjs';

const LIMIT_KB = 240;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'dist', 'console');
/** The page, and the first screen after sign-in. */
const FIRST = ['index.html', 'src/shell/home-page.tsx'];

export async function buildConsole() {
  makeConsoleTypes();
  await build({ root: join(root, 'apps', 'console'), logLevel: 'warn' });
  const kb = firstLoadKb();
  if (kb > LIMIT_KB)
    throw new Error(`The console's first screen is ${kb} kB gzip, more than ${LIMIT_KB} kB.`);
  return kb;
}

function firstLoadKb() {
  const manifest = JSON.parse(readFileSync(join(folder, '.manifest.json'), 'utf8'));
  const files = new Set();
  const add = (name) => {
    const { file, css = [], imports = [] } = manifest[name];
    if (files.has(file)) return;
    for (const path of [file, ...css]) files.add(path);
    imports.forEach(add);
  };
  FIRST.forEach(add);
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
  return Math.ceil(bytes / 1000);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`Console: ${await buildConsole()} kB gzip before the first screen (at most ${LIMIT_KB} kB).`);
}
