import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACTIONS } from '../libs/database/schema/contractions';
import { MIGRATIONS } from '../libs/database/data-source';

const SCHEMA = join(__dirname, '../libs/database/schema');

/** The migrations before it were written before the rule. */
const FIRST_UNDER_THE_RULE = '1797501700000-emergency-passwords.ts';

/** What takes away, renames or narrows. A constraint that is dropped only widens, and an index nobody names. */
const TAKES =
  /\bDROP (TABLE|COLUMN|VIEW|FUNCTION|SCHEMA|TYPE)\b|\bRENAME (COLUMN|TO)\b|\bSET NOT NULL\b|\bALTER COLUMN \w+ (SET DATA )?TYPE\b|\bADD COLUMN \w+ [a-z ]+ NOT NULL(?![^,;)]* DEFAULT)/i;

const upOf = (text: string) => text.slice(text.indexOf('async up('), text.indexOf('async down('));

const underTheRule = readdirSync(SCHEMA)
  .filter((file) => /^\d{13}-/.test(file) && file >= FIRST_UNDER_THE_RULE)
  .map((file) => ({ file, up: upOf(readFileSync(join(SCHEMA, file), 'utf8')) }));

it('a migration that takes something away from the release before is one of CONTRACTIONS', () => {
  const listed = CONTRACTIONS.map(({ migration }) => migration.slice(-13));
  const unlisted = underTheRule.filter(
    ({ file, up }) => TAKES.test(up) && !listed.includes(file.slice(0, 13)),
  );
  expect(unlisted.map(({ file }) => file)).toEqual([]);
});

it.each([
  'ALTER TABLE key_undo RENAME COLUMN key_id TO subject_id',
  'ALTER TABLE voice DROP COLUMN aliases',
  'DROP FUNCTION settle_batch',
  'ALTER TABLE voice ALTER COLUMN name SET NOT NULL',
  'ALTER TABLE voice ADD COLUMN label text NOT NULL',
])('%s takes something away', (sql) => expect(sql).toMatch(TAKES));

it.each([
  'ALTER TABLE voice ADD COLUMN label text NOT NULL DEFAULT $$',
  'CREATE TABLE label (id uuid NOT NULL)',
  'ALTER TABLE voice ADD COLUMN label text',
])('%s only adds', (sql) => expect(sql).not.toMatch(TAKES));

it('every contraction names a migration', () => {
  const names = MIGRATIONS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(CONTRACTIONS.map(({ migration }) => migration)));
});
