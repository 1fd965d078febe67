import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../../libs/config/app-config';
import { Conditions, namePart } from '../../libs/database/common/conditions';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { addNarrowing, type VoiceFilter } from '../../libs/database/voices/voice-filter';
import { VoiceRepository } from '../../libs/database/voices/voice.repository';
import { checkMigrationDatabase } from '../../src/launcher/preflight';
import { queryAs } from '../support/query-as';
import { newVoice } from '../support/review-bench';
import { testServerUrls } from '../support/test-server';

const NAMES = ['ÄGYPTEN', 'Österreich', 'ISTANBUL', 'Irish 50%', 'ab'];

const ADMIN = testServerUrls('postgres').owner;

describe.each([
  ['C', "LOCALE_PROVIDER libc LOCALE 'C'"],
  ['tr-TR', "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C'"],
  ['C.UTF-8', "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'"],
])('a database with the locale %s', (_, locale) => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  let dataSource: DataSource;

  beforeAll(async () => {
    await queryAs(ADMIN, `CREATE DATABASE ${name} ENCODING 'UTF8' ${locale} TEMPLATE template0`);
    await migrateDatabase(testServerUrls(name).owner, testServerUrls(name).application);
    dataSource = await createDataSource(testServerUrls(name).application, 'test').initialize();
    const voices = new VoiceRepository(dataSource);
    for (const [index, name] of NAMES.entries()) {
      const id = `voice${index}`.padEnd(20, 'x');
      const labels = { accent: name, gender: 'x', age: 'x' };
      await voices.insert({ ...newVoice(id, id), name, description: '-', labels }, [], dataSource.manager);
    }
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await queryAs(ADMIN, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  });

  async function found(fill: (where: Conditions) => void): Promise<string[]> {
    const where = new Conditions();
    fill(where);
    const sql = `SELECT v.name FROM voice v WHERE ${where.sql} ORDER BY v.id`;
    return (await dataSource.query<{ name: string }[]>(sql, where.values)).map((row) => row.name);
  }
  const named = (part: string) => found((where) => where.add(namePart('v.name', part, where)));
  const narrowed = (filter: Partial<VoiceFilter>) => found((where) => addNarrowing(filter, where));

  it.each([
    ['ägypten', 'ÄGYPTEN'],
    ['Ägypten', 'ÄGYPTEN'],
    ['ÖSTERREICH', 'Österreich'],
    ['istanbul', 'ISTANBUL'],
    ['IRISH', 'Irish 50%'],
    ['äg', 'ÄGYPTEN'],
    ['is', 'ISTANBUL'],
    ['IR', 'Irish 50%'],
    ['h 50%', 'Irish 50%'],
    ['AB', 'ab'],
  ])('finds by %s the name %s', async (part, name) => {
    expect(await named(part)).toEqual([name]);
    expect(await named(part.toUpperCase())).toEqual([name]);
  });

  it('finds by a part of a name what its pattern finds, whatever the letters of both', async () => {
    const letters = [
      'i',
      'I',
      'İ',
      'ı',
      's',
      'S',
      'ſ',
      'K',
      '\u212a',
      'é',
      'e',
      'E\u0301',
      'ß',
      '%',
      '_',
      '\\',
      'σ',
      'ς',
    ];
    const texts = letters.flatMap((one) => letters.map((other) => `a${one}${other}`));
    for (const part of texts) {
      const where = new Conditions();
      where.add(namePart('given.name', part, where));
      const rows = await dataSource.query<unknown[]>(
        `SELECT given.name FROM unnest(${where.value(texts)}::text[]) AS given (name)
         WHERE (${where.sql}) IS DISTINCT FROM plain_text(given.name) ~ $1`,
        where.values,
      );
      expect([part, rows]).toEqual([part, []]);
    }
  });

  it.each([
    ['ägypten', 'ÄGYPTEN'],
    ['österreich', 'Österreich'],
    ['istanbul', 'ISTANBUL'],
    ['irish', 'Irish 50%'],
    ['ir', 'Irish 50%'],
  ])('finds by the word %s, and by its name as a label, the voice %s', async (word, name) => {
    expect(await narrowed({ words: [word] })).toEqual([name]);
    expect(await narrowed({ accent: name.toLowerCase() })).toEqual([name]);
  });
});

it('a database in another encoding than UTF-8 is refused', async () => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await queryAs(ADMIN, `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
  try {
    const { owner } = testServerUrls(name);
    const config = loadConfig({ DATABASE_URL: owner, MIGRATION_DATABASE_URL: owner });
    await expect(checkMigrationDatabase(config)).rejects.toThrow(
      /^The database of MIGRATION_DATABASE_URL cannot be used: Its encoding is SQL_ASCII, and only UTF8 .* ENCODING 'UTF8'/,
    );
  } finally {
    await queryAs(ADMIN, `DROP DATABASE ${name}`);
  }
});
