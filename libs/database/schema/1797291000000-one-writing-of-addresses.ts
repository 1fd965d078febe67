import { readEmailAddress } from '../../domain/common/email-address';
import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Row {
  id: string;
  email: string;
}

/** Only these can have another writing. */
const NOT_PLAIN = `email <> lower(email) OR octet_length(email) <> char_length(email) OR email LIKE '%@%xn--%'`;

/**
 * Addresses that were stored before they had one writing. Of two members that have become one person, both stay as they are:
 * an admin decides.
 */
export class OneWritingOfAddresses1797291000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const isFree = 'NOT EXISTS (SELECT FROM staff_auth.member WHERE email = $2)';
    await this.rewrite(queryRunner, 'staff_auth.member', isFree);
    await this.rewrite(queryRunner, 'contact', 'true');
  }

  async down(): Promise<void> {
    // The addresses are right in either schema.
  }

  private async rewrite(queryRunner: QueryRunner, table: string, condition: string): Promise<void> {
    const rows = (await queryRunner.query(`SELECT id, email FROM ${table} WHERE ${NOT_PLAIN}`)) as Row[];
    for (const { id, email } of rows) {
      const address = readEmailAddress(email) ?? email;
      if (address !== email)
        await queryRunner.query(`UPDATE ${table} SET email = $2 WHERE id = $1 AND ${condition}`, [
          id,
          address,
        ]);
    }
  }
}
