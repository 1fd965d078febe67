import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SCHEMA = join(__dirname, '../libs/database/schema');

/** What databases have been created by: the migrations, and what the first one reads. */
const files = readdirSync(SCHEMA, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^\d{13}-[a-z-]+\.ts$|^initial\/.+\.sql$/.test(file))
  .sort();

const sha256 = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(SCHEMA, file)))
    .digest('hex');

/** Lines of `sha256sum`: a digest, two spaces, a file. */
const listed = readFileSync(join(SCHEMA, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');

it('a migration that was added is never edited: a database has it, and another would not (add one instead)', () => {
  expect(files.map((file) => `${sha256(file)}  ${file}`)).toEqual(listed);
});
