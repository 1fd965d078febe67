import { createHash } from 'node:crypto';
import { atOnce } from '../common/interruptible';
import { digestSecret } from './api-key-secret';
import { readingKeyImport } from './key-import';

const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const HEADER = 'name,secret,sha256,prefix,last_four,permissions,credit_limit,external_id';

const readKeyImport = (text: string) => atOnce(readingKeyImport(text));
const read = (...lines: string[]) => readKeyImport([HEADER, ...lines].join('\n'));

it('takes a secret, or its SHA-256 in hexadecimal or base64, with what people recognise it by', () => {
  const digest = createHash('sha256').update('another one').digest();
  const { keys, problems } = read(
    `a,${SECRET},,,,voices_read;voices_write,500,x`,
    `b,,${digest.toString('hex').toUpperCase()},sk_,9xYz,,,`,
    `c,,${createHash('sha256').update('third').digest('base64')},,abcd,all,,`,
  );
  expect(problems).toEqual([]);
  expect(keys).toMatchObject([
    { line: 2, digest: digestSecret(SECRET), maskedSecret: 'sk_l…p7dc', creditLimit: 500, externalId: 'x' },
    {
      line: 3,
      digest: digest.toString('hex'),
      maskedSecret: 'sk_…9xYz',
      permissions: null,
      externalId: null,
    },
    { line: 4, digest: digestSecret('third'), maskedSecret: '…abcd' },
  ]);
});

it.each([
  ['no name', `,${SECRET},,,,,,`, 'name'],
  ['no secret', 'a,,,,,,,', 'Either'],
  ['both', `a,${SECRET},${'0'.repeat(64)},,,,,`, 'Either'],
  ['a short one', 'a,secret,,,,,,', '20 to 256'],
  ['one character', `a,${'x'.repeat(40)},,,,,,`, 'too weak'],
  ['one of ours with a wrong checksum', `a,grk_${'x'.repeat(38)},,,,,,`, 'only if it is one'],
  ['no digest', 'a,,abc,,abcd,,,', '64 hexadecimal'],
  ['the digest of nothing', `a,,${digestSecret('')},,abcd,,,`, 'empty text'],
  ['no last four', `a,,${digestSecret('y')},,,,,`, 'last four'],
  ['unknown permissions', `a,${SECRET},,,,voices,,`, 'permissions'],
  ['a fraction', `a,${SECRET},,,,,1.5,`, 'credit_limit'],
  ['more cells', `a,${SECRET},,,,,,,,`, 'more cells'],
])('refuses %s by its line, and says nothing of the secret', (_, line, problem) => {
  const { keys, problems } = read(line);
  expect([keys.length, problems]).toEqual([0, [{ line: 2, problem: expect.stringContaining(problem) }]]);
  expect(JSON.stringify(problems)).not.toContain(SECRET);
});

it('composes what it reads: an external id in two forms is the same', () => {
  const { keys, problems } = read(`a,${SECRET},,,,,,Zoe\u0308`, `b,${SECRET}2,,,,,,Zo\u00eb`);
  expect(keys.map(({ externalId }) => externalId)).toEqual(['Zo\u00eb']);
  expect(problems).toEqual([{ line: 3, problem: 'Line 2 has the same external_id.' }]);
});

it('takes the mark of UTF-8, and refuses what cannot be seen by its line', () => {
  expect(readKeyImport(`\ufeff${HEADER}\na,${SECRET},,,,,,`).problems).toEqual([]);
  const { keys, problems } = read(`a,${SECRET},,,,,,`, `b\u200b,${SECRET}2,,,,,,`);
  expect([keys, problems]).toEqual([
    [],
    [{ line: 3, problem: 'A character that cannot be seen, U+200B, is not accepted.' }],
  ]);
});

it('refuses what is repeated', () => {
  const { keys, problems } = read(
    `a,${SECRET},,,,,,x`,
    `b,,${digestSecret(SECRET)},,p7dc,,,`,
    `c,,${digestSecret('c')},,abcd,,,x`,
  );
  expect(keys).toHaveLength(1);
  expect(problems).toEqual([
    { line: 3, problem: 'Line 2 has the same secret.' },
    { line: 4, problem: 'Line 2 has the same external_id.' },
  ]);
});

it('refuses a file with other columns, or without keys', () => {
  expect(readKeyImport('name,key\na,b').problems[0]!.problem).toMatch(/^The first line names the columns/);
  expect(readKeyImport('').problems[0]!.problem).toMatch(/^The first line names the columns/);
  expect(readKeyImport('name,secret').problems[0]!.problem).toMatch(/^There are 0 keys/);
});

it('reading may be interrupted every 20 keys', () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => `a,${SECRET}${index}`);
  let turns = 0;
  const reading = readingKeyImport(['name,secret', ...keys].join('\n'));
  while (!reading.next().done) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(1_000 / 20);
});
