import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much was free on the disks of each machine, so that one can say when a disk will be full. */
export class FreeSpace1797502100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE free_space (
         host text NOT NULL,
         folder text NOT NULL,
         at timestamptz NOT NULL DEFAULT now(),
         free_bytes bigint NOT NULL,
         PRIMARY KEY (host, folder, at)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE free_space');
  }
}
