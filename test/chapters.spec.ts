import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listBlocks } from './support/chapters';

const PROJECT = join(__dirname, '..');

const blocks = listBlocks();

it('every block of the chapters is marked as run by a suite, or as not run here and why', () => {
  expect(blocks.length).toBeGreaterThan(8);
  const unmarked = blocks.filter(({ suite, whyNot }) => suite === null && whyNot === null);
  expect(unmarked.map(({ place }) => place)).toEqual([]);
});

it.each(blocks.flatMap(({ place, suite }) => (suite ? [[place, suite] as const] : [])))(
  'the suite that %s names runs it',
  (_place, { file, name }) => {
    expect(existsSync(join(PROJECT, file))).toBe(true);
    expect(readFileSync(join(PROJECT, file), 'utf8')).toContain(`blockFor('${name}')`);
  },
);
