// Builds dist/ when it is missing or older than its sources. Silent when there is nothing to do.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sources = ['src', 'apps/api', 'apps/worker', 'libs', 'tools'];
const consoleSources = ['apps/console'];
const settings = [
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/translation.cjs',
];
const built = join(root, 'dist', 'src', 'main.js');
const descriptions = ['openapi.json', 'openapi.public.json'].map((name) => join(root, 'dist', name));

const SOURCE = /\.(tsx?|mts|css|html|svg|js|sql)$/;

const compiler = join(root, 'node_modules', 'typescript');

export async function buildIfNeeded() {
  refuseOldNode();
  if (isFresh()) return;
  if (!existsSync(compiler)) fail('the build tools are not installed: run "npm ci".');
  const startedAt = new Date();
  process.stdout.write('Building Greenroom … ');
  try {
    // Loaded only now: an installation without build tools starts what was built elsewhere.
    (await import('./build.mjs')).buildProgram();
    // They describe an earlier api.
    for (const description of descriptions) rmSync(description, { force: true });
  } catch (error) {
    // A build with errors may have left files that look new.
    if (existsSync(built)) utimesSync(built, 0, 0);
    process.stdout.write('\n');
    fail(error.message);
  }
  // What was saved while the build ran is newer than this.
  utimesSync(built, startedAt, startedAt);
  console.log(`done in ${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s`);
}

function refuseOldNode() {
  if (process.features.require_module) return;
  const { node } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines;
  fail(`Greenroom needs Node.js ${node}; this is Node.js ${process.versions.node}.`);
}

function isFresh() {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = settings.map((name) => join(root, name)).filter((file) => existsSync(file));
  return [...files, ...inputs(sources), ...inputs(consoleSources)].every(
    (path) => statSync(path).mtimeMs <= builtAt,
  );
}

/** The source files of the servers. */
export function sourceFiles() {
  return inputs(sources).filter((path) => path.endsWith('.ts'));
}

/** The sources, and their folders, whose time shows that a file is gone. A release may come without them. */
function inputs(folders) {
  return folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isDirectory() || (SOURCE.test(entry.name) && !entry.name.endsWith('.spec.ts')))
    .map((entry) => join(entry.parentPath, entry.name));
}

function fail(reason) {
  process.stderr.write(`greenroom: ${reason}\n`);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await buildIfNeeded();
