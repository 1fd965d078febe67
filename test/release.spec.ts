import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE, PROJECT_ROOT } from '../libs/config/project-root';
import { MIGRATIONS } from '../libs/database/data-source';
import { describeRelease, isLater, RELEASE } from '../libs/database/schema/release';

const read = (file: string) => readFileSync(join(PROJECT_ROOT, file), 'utf8');

/** A version of ours, as a package, an image or a tag has it; `newTag` follows the name of the image. */
const NAMED = /(?<=greenroom[-:]|newTag: |[`\s]v)\d+\.\d+\.\d+\b(?!\.\d)/g;

/** Every document that names the release, and how often at least. */
it.each([
  ['README.md', 1],
  ['docs/operations.md', 3],
  ['docker-compose.yml', 1],
  ['deploy/kustomize/overlays/example/kustomization.yaml', 1],
  ['.github/workflows/release.yml', 1],
])('%s names the version of package.json', (file, times) => {
  const named = read(file).match(NAMED) ?? [];
  expect(named.length).toBeGreaterThanOrEqual(times);
  expect(new Set(named)).toEqual(new Set([PACKAGE.version]));
});

it('the lock file, the description of the API and the changelog have the version of package.json', () => {
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: Record<string, object> };
  expect([lock.version, lock.packages['']]).toEqual([
    PACKAGE.version,
    expect.objectContaining({ version: PACKAGE.version }),
  ]);
  expect(JSON.parse(read('openapi.json'))).toMatchObject({ info: { version: PACKAGE.version } });
  expect(/^## (.+)$/m.exec(read('CHANGELOG.md'))![1]).toBe(PACKAGE.version);
});

it('a release names its newest migration', () => {
  const [, stamp, name] = /^(\d{13})-(.+)$/.exec(RELEASE.schema)!;
  const asClass = name!.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  expect(MIGRATIONS.at(-1)!.name).toBe(`${asClass}${stamp}`);
});

it('a release is described with its commit, and without where the build did not know it', () => {
  const release = { version: '1.2.0', commit: '6af4a9fa1c2d', schema: '1797500000000-one' };
  expect(describeRelease(release)).toBe('1.2.0 (commit 6af4a9fa1c2d, schema 1797500000000-one)');
  expect(describeRelease({ ...release, commit: undefined })).toBe('1.2.0 (schema 1797500000000-one)');
});

it.each([
  ['1.10.0', '1.9.0', true],
  ['1.9.0', '1.10.0', false],
  ['2.0.0', '1.99.99', true],
  ['1.1.0', '1.1.0', false],
])('%s is later than %s: %s', (version, than, later) => {
  expect(isLater(version, than)).toBe(later);
});

it('the command line says which release it is', () => {
  const { stdout } = spawnSync(process.execPath, [join(PROJECT_ROOT, 'dist/src/main.js'), '--version'], {
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+ \((commit [0-9a-f]{12}(-dirty)?, )?schema \d{13}-[a-z-]+\)\n$/);
});
