import { execFileSync } from 'node:child_process';
import { atOnce } from '@app/domain/common/interruptible';
import { findingProfanity } from './profanity';

const isProfane = (text: string) => atOnce(findingProfanity(text));

const COUNT = 10_000;

/** In its own process: the package has ES modules only, of many megabytes. */
const SCRIPT = `
  import { fakerDE, fakerEN, fakerES, fakerFR, fakerIT, fakerNL, fakerPL, fakerSV } from '@faker-js/faker';
  const fakers = [fakerDE, fakerEN, fakerES, fakerFR, fakerIT, fakerNL, fakerPL, fakerSV];
  const names = new Set();
  for (const faker of fakers) faker.seed(1);
  for (let index = 0; names.size < ${COUNT}; index++) {
    const { person } = fakers[index % fakers.length];
    names.add(person.firstName() + ' ' + person.lastName());
  }
  process.stdout.write(JSON.stringify([...names]));
`;

/** Ordinary first and family names of eight languages. */
function ordinaryNames(): string[] {
  const args = ['--input-type=module', '-e', SCRIPT];
  const printed = execFileSync(process.execPath, args, {
    encoding: 'utf8',
    cwd: __dirname,
    maxBuffer: 10_000_000,
  });
  return JSON.parse(printed) as string[];
}

it('10,000 ordinary names give no hit', () => {
  const names = ordinaryNames();
  expect(names).toHaveLength(COUNT);
  expect(names.filter(isProfane)).toEqual([]);
});

it.each([
  'fuck',
  'FuCk',
  'ｆｕｃｋ',
  'fцck',
  'f\u200buck',
  'fuuuuck',
  'sh1t',
  'ѕһіt',
  'what a b1tch',
  'f&#117;ck',
  'fu<break/>ck',
  '\u202Ekcuf',
])('%s gives a hit', (text) => {
  expect(isProfane(text)).toBe(true);
});
