// Prints which folder imports which, every cycle of files, features, rooms and libs, and what the console imports upward;
// imports of types count, and so do those of files that are fetched later. `--json` prints the same for test/architecture.spec.ts.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** What the cycles are looked for between: the unit that a file belongs to, or nothing. */
const UNITS = {
  files: (file) => file,
  libs: (file) => /^libs\/[^/]+/.exec(file)?.[0],
  rooms: (file) => (file.startsWith('libs/') ? posix.dirname(file) : undefined),
  features: (file) => /^apps\/(api|worker|console)\/src\/[^/]+(?=\/)/.exec(file)?.[0],
};

/** Folders of the console from the lowest layer to the highest; those that are not named are features. */
const CONSOLE_LAYERS = [
  ['api', 'icons'],
  ['components'],
  ['session'],
  'features',
  ['home', 'palette'],
  ['shell'],
  ['.'],
];

const files = ['apps', 'libs', 'packages', 'src', 'tools'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter(
      (name) => /\.tsx?$/.test(name) && !/\.spec\.tsx?$|node_modules|^packages\/[^/]+\/dist/.test(name),
    ),
);
const known = new Set(files);
/** Every import as [file, imported]: a file of ours relative to the root, a package by its name. */
const imports = files
  .sort()
  .flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*'([^']+)'/g,
      ),
    ].map(([, path]) => [file, resolve(file, path)]),
  );
const cycles = Object.fromEntries(
  Object.entries(UNITS).map(([name, unitOf]) => [name, cyclesBetween(unitOf)]),
);
/** What a layer of the console imports of a higher one. */
const upward = imports.filter(([file, imported]) => known.has(imported) && layerOf(file) < layerOf(imported));

if (process.argv.includes('--json')) console.log(JSON.stringify({ files, imports, cycles, upward }));
else print();

function resolve(file, path) {
  const isOurs = path.startsWith('.') || path.startsWith('@app/');
  if (!isOurs) return path;
  const target = path.startsWith('.')
    ? posix.join(posix.dirname(file), path)
    : path.replace('@app/', 'libs/');
  const name = target.replace(/\.[jt]s$/, '');
  return [`${name}.ts`, `${name}.tsx`, `${name}.d.ts`].find((candidate) => known.has(candidate)) ?? target;
}

/** Which of `CONSOLE_LAYERS` a file is in; NaN outside the console, which is above and below nothing. */
function layerOf(file) {
  if (!file.startsWith('apps/console/src/')) return NaN;
  const folder = posix.dirname(posix.relative('apps/console/src', file));
  const named = CONSOLE_LAYERS.findIndex((layer) => layer !== 'features' && layer.includes(folder));
  return named === -1 ? CONSOLE_LAYERS.indexOf('features') : named;
}

/** The arrows between units, each with its imports. */
function arrowsBetween(unitOf) {
  const arrows = new Map();
  for (const [from, to] of imports) {
    const [tail, head] = [unitOf(from), known.has(to) ? unitOf(to) : undefined];
    if (tail === undefined || head === undefined || tail === head) continue;
    if (!arrows.has(tail)) arrows.set(tail, new Map());
    const heads = arrows.get(tail);
    heads.set(head, [...(heads.get(head) ?? []), `${from} -> ${to}`]);
  }
  return arrows;
}

/** The strongly connected components with more than one member (Tarjan 1972), as the imports that close them. */
function cyclesBetween(unitOf) {
  const arrows = arrowsBetween(unitOf);
  const [index, lowest, stack, found] = [new Map(), new Map(), [], []];
  const visit = (unit) => {
    index.set(unit, index.size);
    lowest.set(unit, index.get(unit));
    stack.push(unit);
    for (const next of arrows.get(unit)?.keys() ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(unit, Math.min(lowest.get(unit), lowest.get(next)));
    }
    if (lowest.get(unit) !== index.get(unit)) return;
    const members = stack.splice(stack.indexOf(unit));
    if (members.length > 1) found.push(members);
  };
  for (const unit of arrows.keys()) if (!index.has(unit)) visit(unit);
  return found.map((members) =>
    members.flatMap((tail) =>
      [...(arrows.get(tail) ?? [])].filter(([head]) => members.includes(head)).flatMap(([, made]) => made),
    ),
  );
}

function print() {
  for (const [tail, heads] of arrowsBetween(
    (file) => UNITS.features(file) ?? UNITS.libs(file) ?? posix.dirname(file),
  )) {
    console.log(`${tail} -> ${[...heads.keys()].sort().join(', ')}`);
  }
  for (const [name, found] of Object.entries(cycles)) {
    console.log(`\nCycles of ${name}: ${found.length}`);
    for (const cycle of found) console.log(`  ${cycle.join('\n  ')}\n`);
  }
  console.log(`\nUpward imports of the console: ${upward.length}`);
  for (const [file, imported] of upward) console.log(`  ${file} -> ${imported}`);
}
