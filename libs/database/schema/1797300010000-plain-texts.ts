import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSqlDefinitions } from './sql-definitions';

/** Columns of what people have typed, which are compared. */
const TYPED = [
  ['account', 'name'],
  ['account', 'external_id'],
  ['api_key', 'name'],
  ['api_key', 'external_id'],
  ['service_account', 'name'],
  ['voice', 'name'],
  ['contact', 'name'],
] as const;

const INDEXES = [
  ['account_name_part_idx', 'account', ''],
  ['api_key_name_part_idx', 'api_key', ' WHERE deleted_at IS NULL'],
  ['voice_name_part_idx', 'voice', ''],
] as const;

/** External ids are unique: one that would become another one stays as it is. */
const alone = (table: string) =>
  `NOT EXISTS (SELECT FROM ${table} o WHERE o.id <> t.id AND normalize(o.external_id, NFC) = normalize(t.external_id, NFC))`;

/** Names are composed (NFC), and found without accents. */
export class PlainTexts1797300010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const needed = readSqlDefinitions().filter(({ name }) =>
      ['plain_text', 'set_voice_search_text'].includes(name),
    );
    for (const { text } of needed) await queryRunner.query(text);
    for (const [table, column] of TYPED)
      await queryRunner.query(
        `UPDATE ${table} t SET ${column} = normalize(t.${column}, NFC) WHERE t.${column} IS NOT NFC NORMALIZED
           AND ${column === 'external_id' ? alone(table) : 'true'}`,
      );
    await queryRunner.query(`UPDATE voice SET search_text = plain_text(search_text)
      WHERE octet_length(search_text) > char_length(search_text)`);
    for (const [index, table, condition] of INDEXES)
      await queryRunner.query(`DROP INDEX ${index};
        CREATE INDEX ${index} ON ${table} USING gin (plain_text(name) gin_trgm_ops)${condition}`);
    // The statistics of an index with a condition do not count: the planner estimates how many keys a search finds.
    await queryRunner.query('CREATE STATISTICS api_key_plain_name ON (plain_text(name)) FROM api_key');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP STATISTICS api_key_plain_name');
    for (const [index, table, condition] of INDEXES)
      await queryRunner.query(`DROP INDEX ${index};
        CREATE INDEX ${index} ON ${table} USING gin (name gin_trgm_ops)${condition}`);
    await queryRunner.query(`
      DROP FUNCTION plain_text(text);
      DELETE FROM sql_definition WHERE name IN ('plain_text', 'set_voice_search_text');
    `);
  }
}
