import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A change of many keys is any of several actions, made in parts, and remembers what each key was before. */
export class BulkKeyEdits1797100010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE bulk_key_change_item (
        change_id uuid NOT NULL REFERENCES bulk_key_change (id) ON DELETE CASCADE,
        key_id uuid NOT NULL,
        version integer,
        before jsonb,
        PRIMARY KEY (change_id, key_id)
      );
      INSERT INTO bulk_key_change_item (change_id, key_id, version)
        SELECT c.id, k.id, k.version FROM bulk_key_change c, unnest(c.key_ids, c.key_versions) AS k (id, version);

      ALTER TABLE bulk_key_change
        ADD action text NOT NULL DEFAULT 'disable',
        ADD value jsonb,
        ADD filter jsonb NOT NULL DEFAULT '{}',
        ADD actor jsonb NOT NULL DEFAULT '{}',
        ADD total integer NOT NULL DEFAULT 0,
        ADD changed integer NOT NULL DEFAULT 0,
        ADD left_alone integer NOT NULL DEFAULT 0,
        ADD progressed_at timestamptz NOT NULL DEFAULT now(),
        ADD finished_at timestamptz;
      UPDATE bulk_key_change SET value = to_jsonb(disable_reason), total = cardinality(key_ids),
        changed = cardinality(key_ids), progressed_at = changed_at, finished_at = changed_at;
      ALTER TABLE bulk_key_change
        ALTER action DROP DEFAULT, ALTER filter DROP DEFAULT, ALTER actor DROP DEFAULT, ALTER total DROP DEFAULT,
        ALTER changed DROP DEFAULT, ALTER left_alone DROP DEFAULT, ALTER progressed_at DROP DEFAULT,
        DROP key_ids, DROP key_versions, DROP disable_reason;
      CREATE INDEX bulk_key_change_unfinished_idx ON bulk_key_change (progressed_at) WHERE finished_at IS NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM bulk_key_change WHERE action <> 'disable';
      ALTER TABLE bulk_key_change
        ADD key_ids uuid[] NOT NULL DEFAULT '{}',
        ADD key_versions integer[] NOT NULL DEFAULT '{}',
        ADD disable_reason text NOT NULL DEFAULT 'unused';
      UPDATE bulk_key_change c SET disable_reason = c.value #>> '{}',
        key_ids = ARRAY(SELECT i.key_id FROM bulk_key_change_item i
          WHERE i.change_id = c.id AND i.version IS NOT NULL ORDER BY i.key_id),
        key_versions = ARRAY(SELECT i.version FROM bulk_key_change_item i
          WHERE i.change_id = c.id AND i.version IS NOT NULL ORDER BY i.key_id);
      ALTER TABLE bulk_key_change
        ALTER key_ids DROP DEFAULT, ALTER key_versions DROP DEFAULT, ALTER disable_reason DROP DEFAULT,
        DROP action, DROP value, DROP filter, DROP actor, DROP total, DROP changed, DROP left_alone,
        DROP progressed_at, DROP finished_at;
      DROP TABLE bulk_key_change_item;
    `);
  }
}
