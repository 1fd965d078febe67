// Translates the sources of the servers to dist, each file separately: a tenth of the memory and the time of a build that checks
// types, which `npm run lint` checks. What has no source any more is removed.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import translation from './translation.cjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const FOLDERS = ['src', 'apps/api', 'apps/worker', 'libs', 'tools'];
const COPIED = '.sql';
const TEST = /\.spec\.ts$/;
/** `import()` stays, for packages that are modules. */
const OPTIONS = {
  ...translation,
  inlineSourcesContent: false,
  module: { ...translation.module, ignoreDynamic: true },
};

export function buildServer() {
  rmSync(join(dist, 'bundle'), { recursive: true, force: true });
  const sources = filesIn(FOLDERS).filter((file) => isTranslated(file) || file.endsWith(COPIED));
  for (const file of sources) translate(file);
  const built = new Set(sources.map(targetOf).flatMap((file) => [file, `${file}.map`]));
  for (const file of filesIn(FOLDERS.map((folder) => join('dist', folder))))
    if (!built.has(file)) rmSync(file);
  writeCommit();
}

/** Which commit is built: of git where it is there, else of COMMIT, as in an image. Without both, the build does not say. */
function writeCommit() {
  const args = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  const git = existsSync(join(root, '.git')) ? spawnSync('git', args, { cwd: root, encoding: 'utf8' }) : null;
  const commit = git?.status === 0 ? git.stdout.trim() : process.env.COMMIT;
  if (commit) writeFileSync(join(dist, 'commit'), `${commit}\n`);
  else rmSync(join(dist, 'commit'), { force: true });
}

/** Translates one source, or copies it when it is not a program. */
export function translate(file) {
  const target = targetOf(file);
  mkdirSync(dirname(target), { recursive: true });
  if (file.endsWith(COPIED)) {
    cpSync(file, target);
    return;
  }
  const { code, map } = transformSync(readFileSync(file, 'utf8'), { ...OPTIONS, filename: file });
  writeFileSync(target, withRelativeImports(code, dirname(target)));
  // For the bundle: its stack traces name lines of sources.
  const sources = [relative(dirname(target), file)];
  writeFileSync(`${target}.map`, JSON.stringify({ ...JSON.parse(map), sources }));
}

const isTranslated = (file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !TEST.test(file);

const targetOf = (file) => join(dist, relative(root, file)).replace(/\.ts$/, '.js');

/** `@app/…` is an alias of the sources only. Node's `import()` wants the whole name of a file. */
function withRelativeImports(text, folder) {
  return text.replace(/(["'])@app\/([^"']+?)(?:\.js)?\1/g, (_, quote, name) => {
    const path = relative(folder, join(dist, 'libs', `${name}.js`));
    return quote + (path.startsWith('.') ? path : `./${path}`) + quote;
  });
}

function filesIn(folders) {
  return folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) buildServer();
