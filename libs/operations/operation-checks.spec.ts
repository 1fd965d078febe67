import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '@app/config/project-root';
import { OPERATION_CHECKS } from './operation-checks';

it('docs/operations.md has the table', () => {
  const lines = readFileSync(join(PROJECT_ROOT, 'docs/operations.md'), 'utf8').split('\n');
  const described = lines
    .filter((line) => line.startsWith('| `') && /\| (503|–)\s*\|$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(described).toEqual(
    Object.entries(OPERATION_CHECKS).map(([name, { about, remedy, serves }]) => [
      `\`${name}\``,
      about,
      remedy,
      serves ? '503' : '–',
    ]),
  );
});
