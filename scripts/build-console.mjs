// Builds the console to dist/console, compresses its files, and prints what a browser loads before its first screens; too
// much is refused.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const LIMIT_KB = 200;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'dist', 'console');
const SHELL = 'index.html';
/** The file with what all screens share, of `vite.config.mts`. */
const MAIN = 'main';
/** The first screen after sign-in, and two lists. */
const FIRST = ['src/shell/home-page.tsx', 'src/accounts/accounts-page.tsx', 'src/api-keys/api-keys-page.tsx'];
/** The letters of names in other languages: fetched where one is shown. */
const ON_DEMAND = /inter-latin-/;
/** As in `apps/api/src/http/static-files.ts`, which serves them. */
const COMPRESSED_FROM_BYTES = 1_000;
/**
 * Has Chromium compile the functions of a file while it arrives, in another thread. Otherwise the main thread compiles each when it is
 * first called. Only read at the beginning of a file.
 */
const COMPILE_EARLY = '//# allFunctionsCalledOnLoad\n';
const COMPRESSIONS = { '.br': brotliCompressSync, '.gz': (bytes) => gzipSync(bytes, { level: 9 }) };

/** @returns the kilobytes of the first screens with brotli, the largest of them */
export async function buildConsole() {
  await build({ root: join(root, 'apps', 'console'), logLevel: 'warn' });
  finishFiles();
  const kb = Math.max(...FIRST.map(transferredKb));
  if (kb > LIMIT_KB)
    throw new Error(`A first screen of the console is ${kb} kB with brotli, more than ${LIMIT_KB} kB.`);
  return kb;
}

function finishFiles() {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('.'),
  );
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    // The page is written for each response: its nonce changes.
    if (name === SHELL || statSync(path).size < COMPRESSED_FROM_BYTES) continue;
    if (name.endsWith('.js')) writeFileSync(path, COMPILE_EARLY + readFileSync(path, 'utf8'));
    const bytes = readFileSync(path);
    for (const [suffix, compress] of Object.entries(COMPRESSIONS))
      writeFileSync(path + suffix, compress(bytes));
  }
}

function transferredKb(screen) {
  const manifest = JSON.parse(readFileSync(join(folder, '.manifest.json'), 'utf8'));
  const files = new Set([SHELL]);
  const add = (name) => {
    const { file, css = [], assets = [], imports = [] } = manifest[name];
    if (files.has(file)) return;
    for (const path of [file, ...css, ...assets]) if (!ON_DEMAND.test(path)) files.add(path);
    imports.forEach(add);
  };
  [Object.keys(manifest).find((name) => manifest[name].name === MAIN), screen].forEach(add);
  const sizes = [...files]
    .map((file) => join(folder, file))
    .map((path) => statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size);
  return Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1000);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(
    `Console: ${await buildConsole()} kB with brotli before the first screen (at most ${LIMIT_KB} kB).`,
  );
}
