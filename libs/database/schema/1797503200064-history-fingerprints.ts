import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSqlDefinitions } from './sql-definitions';

/**
 * How each item of the history sounds, to find which one a clip was cut out of. An item has its row from the beginning, by
 * whichever release writes it; a worker fills it in. A trigger, because the release before writes items as well.
 */
export class HistoryFingerprints1797503200064 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const add = readSqlDefinitions().find(({ name }) => name === 'add_history_fingerprint')!;
    await runner.query(`
      CREATE TABLE history_fingerprint (
        history_item_id text PRIMARY KEY
          CONSTRAINT history_fingerprint_item_fk REFERENCES history_item (id) ON DELETE CASCADE,
        account_id uuid NOT NULL,
        due_at timestamptz DEFAULT now(),
        steps bytea,
        keys int[]
      );
      CREATE INDEX history_fingerprint_keys_idx ON history_fingerprint USING gin (keys) WITH (fastupdate = off);
      CREATE INDEX history_fingerprint_due_idx ON history_fingerprint (account_id, due_at) WHERE due_at IS NOT NULL;
      ${add.text};
      CREATE TRIGGER history_item_fingerprint AFTER INSERT ON history_item
        FOR EACH ROW EXECUTE FUNCTION add_history_fingerprint();
      INSERT INTO history_fingerprint (history_item_id, account_id) SELECT id, account_id FROM history_item`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER history_item_fingerprint ON history_item;
      DROP FUNCTION add_history_fingerprint();
      DROP TABLE history_fingerprint`);
  }
}
