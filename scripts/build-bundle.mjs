// Gathers the servers and the packages that they use from dist into the few files of dist/bundle, which load in a fraction of the
// time. Names of functions and classes stay: entities, migrations and injection are known by them.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { ABSENT, isOf, OUTSIDE } from './bundled-packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const folder = join(dist, 'bundle');
/** Loads the bundle, and exists once. */
const LOADER = '../libs/config/program-bundle.js';

export async function buildBundle() {
  const threads = threadEntries();
  const bundle = await rolldown({
    input: { program: join(dist, 'src', 'program.js'), ...threads },
    platform: 'node',
    // What a package exports is looked up at run time too.
    treeshake: false,
    external: (id) => isOf([...OUTSIDE, ...ABSENT], id),
    plugins: [places],
    onLog(level, log) {
      if (log.code === 'EVAL' || level === 'debug' || level === 'info') return;
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'cjs',
    keepNames: true,
    strictExecutionOrder: true,
    exports: 'auto',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    sourcemap: 'hidden',
    sourcemapExcludeSources: true,
    cleanDir: true,
  });
  await bundle.close();
  for (const { fileName, map } of output) if (map) finish(fileName, map);
  const entries = output.filter(({ isEntry }) => isEntry).map(({ name, fileName }) => [name, fileName]);
  for (const name of Object.keys(threads))
    writeFileSync(
      join(folder, `${name}.js`),
      `module.exports = require('${LOADER}').loadBundled('${name}');\n`,
    );
  writeFileSync(join(folder, 'entries.json'), `${JSON.stringify(Object.fromEntries(entries))}\n`);
  // The first start is as quick as later ones.
  execFileSync(process.execPath, [join(dist, 'src', 'main.js'), 'compile']);
}

function threadEntries() {
  const files = readdirSync(join(dist, 'libs'), { recursive: true, encoding: 'utf8' });
  const entries = files.filter((file) => file.endsWith('.thread.js'));
  return Object.fromEntries(entries.map((file) => [basename(file, '.js'), join(dist, 'libs', file)]));
}

/** Our files find what lies beside them where it was. The line of each statement stays. */
const places = {
  name: 'places',
  resolveId: (id) => (/(^|\/)program-bundle\.js$/.test(id) ? { id: LOADER, external: true } : null),
  transform(code, id) {
    for (const { file, text, times, by } of REPLACED)
      if (id.endsWith(file)) return replaced(code, file, text, times, by);
    if (!id.startsWith(dist)) return null;
    const at = (path) => `require('node:path').join(__dirname, ${JSON.stringify(relative(folder, path))})`;
    const placed = code.replace(/\b__(filename|dirname)\b/g, (_, name) =>
      at(name === 'filename' ? id : dirname(id)),
    );
    return { code: placed, map: null };
  },
  renderChunk: (code) => ({ code: code.replace(/(?<![\w$.])import\(/g, 'importPackage('), map: null }),
};

/** What packages do at load time that costs a start much, and brings nothing here. */
const REPLACED = [
  // Two classes that version 1 does not have: it would look for them in another copy of typeorm, the one on disk.
  {
    file: '@nestjs/typeorm/dist/common/typeorm-compat.js',
    text: /resolveTypeormExport\('\w+'\)/g,
    times: 2,
    by: 'undefined',
  },
  // Whether this is Cloudflare: on Node 20, that loads everything that fetch needs.
  { file: 'pg/lib/stream.js', text: /typeof Response === 'function'/g, times: 1, by: 'false' },
];

function replaced(code, file, text, times, by) {
  if (code.match(text)?.length !== times)
    throw new Error(`${file} has other code now: look at what build-bundle.mjs replaces.`);
  return { code: code.replace(text, by), map: null };
}

/** Replaces the map of a file by the table that `libs/config/program-bundle.ts` reads. */
function finish(fileName, map) {
  const path = join(folder, fileName);
  const files = map.sources.map((name) => join(folder, name));
  const sources = files.map((file) => (file.startsWith(dist) ? sourceOf(file) : { file }));
  const numbers = new Int32Array(
    linesOf(map).flatMap(([at, line]) => [at, sources[at]?.lines?.[line - 1]?.[1] ?? line]),
  );
  const names = JSON.stringify(sources.map(({ file }) => relative(root, file)));
  writeFileSync(`${path}.lines`, Buffer.concat([Buffer.from(`${names}\n`), Buffer.from(numbers.buffer)]));
  rmSync(`${path}.map`, { force: true });
}

/** The source that the compiler translated to a file, and which line of it each line of the file is. */
function sourceOf(file) {
  const map = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
  return { file: join(dirname(file), map.sources[0]), lines: linesOf(map) };
}

/** Of each line of a file, the number of its source, or -1, and the line there: where its first statement with a place is. */
function linesOf({ mappings }) {
  const last = [0, 0];
  return mappings.split(';').map((segments) => {
    let found = null;
    for (const [, source, line] of segments.split(',').map(decode)) {
      if (line === undefined) continue;
      last[0] += source;
      last[1] += line;
      found ??= [last[0], last[1] + 1];
    }
    return found ?? [-1, 0];
  });
}

const DIGITS = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].map((digit, value) => [
    digit,
    value,
  ]),
);

/** The numbers of a segment of a source map (base 64 VLQ). */
function decode(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = DIGITS.get(digit);
    value += (bits & 31) * 2 ** shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await buildBundle();
