import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSqlDefinitions } from './sql-definitions';

/** Files in `initial/`, in the order in which they are applied: a table after those that it refers to. */
const FILES = [
  'accounts',
  'keys',
  'key-safety',
  'credits',
  'traffic',
  'audio',
  'voices',
  'reviews',
  'recordings',
  'webhooks',
  'alerts',
  'staff',
  'audit',
  'processes',
  'triggers',
];

/** Indexes and triggers need these when they are created. */
const FUNCTIONS = ['plain_text', 'forget_left_entries', 'refuse_audit_change', 'set_voice_search_text'];

/** What creates the first partitions of the ledger. */
const LEDGER = ['ledger_month', 'make_ledger_month', 'make_ledger_months'];

/** A partition for this month and three more. */
const PARTITIONS = 'SELECT make_ledger_months(3)';

/**
 * Tables, indexes, triggers and what is in them from the start: the files in `initial/`. Functions and views are not there: each is a
 * file in `sql/`, which the migrator applies after the migrations, see `applySqlDefinitions`.
 */
export class InitialSchema1797325000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS btree_gin',
    );
    const tables = FILES.map(readTables);
    for (const text of [...definitionsOf(FUNCTIONS), ...tables, ...definitionsOf(LEDGER), PARTITIONS])
      await queryRunner.query(text);
  }

  // The extensions stay: they may have been there before, and other programs may use them.
  async down(queryRunner: QueryRunner): Promise<void> {
    const tables = FILES.flatMap((file) => [...readTables(file).matchAll(TABLE)].map(([, name]) => name));
    const named = (kind: string) =>
      readSqlDefinitions().flatMap((definition) => (definition.kind === kind ? [definition.name] : []));
    await queryRunner.query(`
      DROP VIEW IF EXISTS ${named('view').join(', ')};
      DROP TABLE ${tables.join(', ')} CASCADE;
      DROP SCHEMA staff_auth;
      DROP SEQUENCE key_change_number;
      DROP FUNCTION IF EXISTS ${named('function').join(', ')};
    `);
  }
}

const TABLE = /^CREATE (?:UNLOGGED )?TABLE (\S+) \(/gm;

const readTables = (name: string) => readFileSync(join(__dirname, 'initial', `${name}.sql`), 'utf8');

function definitionsOf(names: string[]): string[] {
  return readSqlDefinitions().flatMap(({ name, text }) => (names.includes(name) ? [text] : []));
}
