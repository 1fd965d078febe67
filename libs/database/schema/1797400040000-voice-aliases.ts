import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids under which an account finds a voice beside its own. */
export class VoiceAliases1797400040000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE voice ADD COLUMN aliases text[] NOT NULL DEFAULT '{}'");
    await queryRunner.query("CREATE INDEX voice_aliased_idx ON voice (account_id) WHERE aliases <> '{}'");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE voice DROP COLUMN aliases');
  }
}
