import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until when a member may sign in with a password although passwords are off. */
export class EmergencyPasswords1797501700000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE staff_auth.member ADD COLUMN emergency_until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE staff_auth.member DROP COLUMN emergency_until');
  }
}
