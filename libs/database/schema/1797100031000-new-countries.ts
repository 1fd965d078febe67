import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rule that tells people of a key that is used from another country. */
export class NewCountries1797100031000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO alert_rule (id, scope, kind, threshold, channels)
       VALUES ('00000000-0000-4000-8000-000000000017', 'installation', 'new_country', NULL, '{email,chat}')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM alert_rule WHERE kind = 'new_country'`);
  }
}
