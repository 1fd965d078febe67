import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys and accounts are found by a part of the name or the e-mail address of a contact. */
export class ContactSearch1797501200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const column of ['name', 'email'])
      await queryRunner.query(
        `CREATE INDEX contact_${column}_part_idx ON contact USING gin (plain_text(${column}) gin_trgm_ops)
           WHERE account_id IS NOT NULL`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX contact_name_part_idx, contact_email_part_idx');
  }
}
