import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { createDataSource } from '../../libs/database/data-source';
import { migrateDatabase } from '../../libs/database/migrate';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';

let publisher: OwnPostgres;
let subscriber: OwnPostgres;
let dataSource: DataSource;
let ledger: CreditLedger;

const servers = () => [publisher, subscriber];
const key = { accountId: randomUUID(), keyId: randomUUID() };

beforeAll(async () => {
  publisher = await OwnPostgres.startLogical(() => undefined);
  subscriber = await OwnPostgres.start(() => undefined);
  for (const server of servers()) await migrateDatabase(server.ownerUrl, server.url);
  dataSource = await createDataSource(publisher.url, 'test').initialize();
  const credits = new CreditRepository(dataSource);
  ledger = new CreditLedger(credits);
  await dataSource.transaction(async (em) => {
    await em.query(
      `INSERT INTO account (id, name, tier, voice_limit, concurrency_limit) VALUES ($1, 'ACME', 'pro', 1, 1)`,
      [key.accountId],
    );
    await credits.openAccountBalance(key.accountId, 10_000, em);
    await credits.openKeyBalance(key.keyId, key.accountId, 5_000, em);
  });
});

afterAll(async () => {
  await dataSource.destroy();
  // The subscriber first: it would ask a publisher that has gone again and again.
  await subscriber.stop();
  await publisher.stop();
});

const charge = async (cost: number): Promise<boolean> =>
  (await ledger.charge({ ...key, cost, operation: 'test', requestId: randomUUID() })).charged;

/** Every row of what charges write, on one line each. */
const rowsOf = async (server: OwnPostgres, table: string) =>
  server.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY row`);

/** What a migration fills is copied from the publisher, like everything else. */
async function empty(server: OwnPostgres): Promise<void> {
  const tables = await server.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')`,
  );
  // As whoever replicates: the audit log refuses it from all others.
  await server.query(
    `SET session_replication_role = replica; TRUNCATE ${tables.map(({ name }) => name).join()} CASCADE`,
  );
}

it('a publication of all tables is followed through the end of a month, and the sums agree', async () => {
  const thisMonth = new Date().toISOString().slice(0, 7).replace('-', '_');
  // Lines of a month that has no partition yet are in `ledger_line_other`; they move when it has one, while others are charged.
  await publisher.query(
    `ALTER TABLE ledger_line DETACH PARTITION ledger_line_${thisMonth}; DROP TABLE ledger_line_${thisMonth}`,
  );
  expect(await charge(1)).toBe(true);
  await publisher.query(
    'CREATE PUBLICATION everything FOR ALL TABLES WITH (publish_via_partition_root = true)',
  );
  await empty(subscriber);
  await subscriber.query(
    `CREATE SUBSCRIPTION elsewhere CONNECTION '${publisher.ownerUrl}' PUBLICATION everything`,
  );
  await eventually(async () => {
    const left = await subscriber.query(
      `SELECT srrelid::regclass FROM pg_subscription_rel WHERE srsubstate <> 'r'`,
    );
    expect(left).toEqual([]);
  });

  for (let cost = 2; cost <= 20; cost += 1) expect(await charge(cost)).toBe(true);
  const during = Promise.all(Array.from({ length: 20 }, () => charge(3)));
  expect(await publisher.query('SELECT make_ledger_months(1)')).toHaveLength(1);
  expect(await during).toEqual(Array(20).fill(true));
  expect(await charge(100)).toBe(true);
  expect(await publisher.query('SELECT 1 FROM ledger_line_other')).toEqual([]);

  await eventually(async () => {
    for (const table of ['ledger_line', 'credit_balance', 'account']) {
      const [own, theirs] = await Promise.all(servers().map((server) => rowsOf(server, table)));
      expect(theirs).toEqual(own);
    }
  });
  const copy = await createDataSource(subscriber.ownerUrl, 'test').initialize();
  try {
    const [own, theirs] = await Promise.all([dataSource, copy].map(reconcileCredits));
    expect(theirs).toEqual(own);
  } finally {
    await copy.destroy();
  }
});
