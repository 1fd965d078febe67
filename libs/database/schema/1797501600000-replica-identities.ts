import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Identifies the lines of the ledger, which have no key, for logical replication: a publication of all tables would refuse the
 * DELETE of each new month. Nothing is written for it before `wal_level` is `logical`.
 */
export class ReplicaIdentities1797501600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await identifyBy('FULL', runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await identifyBy('DEFAULT', runner);
  }
}

/** The ledger first, as charges lock it, then its months. */
async function identifyBy(identity: 'FULL' | 'DEFAULT', runner: QueryRunner): Promise<void> {
  const tables = await runner.manager.query<{ name: string }[]>(
    `SELECT relid::regclass AS name FROM pg_partition_tree('public.ledger_line') ORDER BY level, relid`,
  );
  for (const { name } of tables) await runner.query(`ALTER TABLE ${name} REPLICA IDENTITY ${identity}`);
}
