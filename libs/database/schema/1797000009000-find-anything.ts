import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What staff find by a request id or by an address. */
export class FindAnything1797000009000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX key_refusal_request_idx ON key_refusal (request_id);
      CREATE INDEX preview_request_idx ON preview (request_id);
      CREATE INDEX voice_request_idx ON voice (request_id);
      CREATE INDEX audit_event_request_idx ON audit_event (request_id) WHERE request_id IS NOT NULL;
      -- Neither column ever changes, so that counting a request stays an update within its page.
      CREATE INDEX observed_traffic_address_idx ON observed_traffic (address, hour);
      CREATE INDEX api_key_allowed_idx ON api_key USING gin (allowed_ips)
        WHERE allowed_ips IS NOT NULL AND deleted_at IS NULL;
      -- With the name, so that a search among the newest voices reads the index only.
      DROP INDEX voice_created_idx;
      CREATE INDEX voice_created_idx ON voice (created_at, id) INCLUDE (name);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX voice_created_idx;
      CREATE INDEX voice_created_idx ON voice (created_at, id);
      DROP INDEX api_key_allowed_idx, observed_traffic_address_idx, audit_event_request_idx, voice_request_idx,
        preview_request_idx, key_refusal_request_idx;
    `);
  }
}
