import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listBlocks } from './support/chapters';

const PROJECT = join(__dirname, '..');

const blocks = listBlocks();

it('every block of the chapters and of deploy is marked as run by a suite, or as not run here and why', () => {
  expect(blocks.length).toBeGreaterThan(8);
  expect(blocks.filter(({ place }) => place.startsWith('deploy/')).length).toBeGreaterThan(7);
  const unmarked = blocks.filter(({ suite, whyNot }) => suite === null && whyNot === null);
  expect(unmarked.map(({ place }) => place)).toEqual([]);
});

it('a file that is named in the reason why a block is not run exists', () => {
  const named = blocks.flatMap(({ whyNot }) => whyNot?.match(/\b[\w./-]+\.spec\.ts\b/g) ?? []);
  expect(named.filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
});

it.each(blocks.flatMap(({ place, suite }) => (suite ? [[place, suite] as const] : [])))(
  'the suite that %s names runs it',
  (_place, { file, name }) => {
    expect(existsSync(join(PROJECT, file))).toBe(true);
    expect(readFileSync(join(PROJECT, file), 'utf8')).toContain(`blockFor('${name}')`);
  },
);
