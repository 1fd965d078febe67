import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a model makes of a recording, beside the verdict. */
export class SecondOpinion1795740000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE review ADD COLUMN second_opinion jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE review DROP COLUMN second_opinion');
  }
}
