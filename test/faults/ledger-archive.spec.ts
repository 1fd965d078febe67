import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { LedgerArchiveRepository } from '../../libs/database/credits/ledger-archive.repository';
import { createDataSource } from '../../libs/database/data-source';
import { Launched } from '../launcher/launched';
import { eventually } from '../support/eventually';
import { movePeriodsBack } from '../support/move-periods-back';
import { queryAs } from '../support/query-as';
import { S3Server } from '../support/s3-server';
import { TemporaryFolder } from '../support/temporary-folder';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { FAULT_OPTIONS, pause, seededRandom } from './fault-options';

const APP_SECRET = 'a-secret-that-only-the-tests-of-greenroom-use';
const [LINES, KILLS] = FAULT_OPTIONS.isLong ? [200_000, 20] : [20_000, 4];

jest.setTimeout(1_800_000);

let database: TestDatabase;
let dataSource: DataSource;
let months: LedgerArchiveRepository;
let s3: S3Server;
let folder: TemporaryFolder;
const random = seededRandom(FAULT_OPTIONS.seed);

beforeAll(async () => {
  folder = TemporaryFolder.make('greenroom-archive-kill-');
  s3 = await S3Server.start();
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  months = new LedgerArchiveRepository(dataSource);
  await spendLongAgo();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
  await s3.stop();
  folder.remove();
});

/** `LINES` charges in a month that is over, and one in the present month. */
async function spendLongAgo(): Promise<void> {
  const credits = new CreditRepository(dataSource);
  const [accountId, keyId] = [randomUUID(), randomUUID()];
  await dataSource.transaction(async (em) => {
    await em.query(
      `INSERT INTO account (id, name, tier, voice_limit, concurrency_limit) VALUES ($1, 'ACME', 'pro', 1, 1)`,
      [accountId],
    );
    await credits.openAccountBalance(accountId, 1_000_000, em);
    await credits.openKeyBalance(keyId, accountId, null, em);
  });
  const charge = { keyId, accountId, cost: 1, operation: 'test' };
  await new CreditLedger(credits).charge({ ...charge, requestId: randomUUID() });
  const more = LINES - 1;
  await queryAs(
    database.ownerUrl,
    `INSERT INTO ledger_line (period_start, created_at, amount, request, account, key, operation, kind, form)
     SELECT period_start, created_at, 1, gen_random_uuid(), account, key, operation, kind, form
     FROM ledger_line, generate_series(1, ${more})`,
  );
  await queryAs(database.ownerUrl, `UPDATE credit_balance SET used = used + ${more}`);
  await movePeriodsBack(database.ownerUrl);
  await new CreditLedger(credits).charge({ ...charge, requestId: randomUUID() });
  await queryAs(database.ownerUrl, 'SELECT make_ledger_months(3)');
}

const greenroom = (...args: string[]) =>
  Launched.greenroom(args, {
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    APP_SECRET,
    DATA_DIR: folder.path,
    ...s3.variables,
  });

/** Runs a command to its end; how long it took. */
async function run(...args: string[]): Promise<number> {
  const startedAtMs = performance.now();
  const command = greenroom(...args);
  const code = await command.ended();
  expect([code, command.output]).toEqual([0, expect.any(String)]);
  return performance.now() - startedAtMs;
}

/** Waits until nothing runs any more in PostgreSQL that a killed command has sent. */
async function untilSettled(): Promise<void> {
  await eventually(async () => {
    const sessions = await queryAs(
      database.ownerUrl,
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'greenroom-archive'`,
    );
    if (sessions.length > 0) throw new Error('the session of a killed command has not ended');
  });
}

/** What the doctor says of the files. */
async function doctorSays(): Promise<string> {
  const doctor = greenroom('doctor');
  await doctor.ended();
  return doctor.output;
}

/** All lines of the ledger, as one text. */
async function digestLines(): Promise<string> {
  const [row] = await dataSource.query<{ digest: string }[]>(
    `SELECT md5(string_agg(l::text, ',' ORDER BY l.id)) AS digest FROM credit_ledger l`,
  );
  return row!.digest;
}

/** Whether the month is in files; fails when it is halfway, or the ledger does not add up. */
async function isArchived(): Promise<boolean> {
  const archived = (await months.listArchived()).length > 0;
  const [row] = await dataSource.query<{ lines: number }[]>(
    'SELECT count(*)::int AS lines FROM credit_ledger',
  );
  expect([archived, row!.lines]).toEqual([archived, archived ? 1 : LINES + 1]);
  expect((await reconcileCredits(dataSource)).breaches).toEqual([]);
  return archived;
}

it(`a month of ${LINES} lines is in the ledger or in the object store through ${KILLS} times kill -9`, async () => {
  const before = await digestLines();
  const [old] = (await months.listMonths()).filter(({ isOver }) => isOver);
  const steps = {
    archive: ['archive', '--month', old!.month, '--apply'],
    restore: ['archive', 'restore', old!.month],
  };
  const tookMs = { archive: await run(...steps.archive), restore: await run(...steps.restore) };
  expect(await digestLines()).toBe(before);

  let killed = 0;
  let changed = 0;
  for (let round = 0; round < KILLS; round += 1) {
    const wasArchived = await isArchived();
    const step = wasArchived ? 'restore' : 'archive';
    const command = greenroom(...steps[step]);
    await pause(tookMs[step] * (0.3 + 0.75 * random()));
    if ((await command.end('SIGKILL')) === 'SIGKILL') killed += 1;
    await untilSettled();
    if ((await isArchived()) !== wasArchived) changed += 1;
  }
  if (!(await isArchived())) await run(...steps.archive);
  expect(await doctorSays()).toMatch(/add up to what was closed: 1, in s3:/);
  await run(...steps.restore);
  expect(await digestLines()).toBe(before);
  process.stdout.write(
    `archive and restore of ${LINES} lines (${Math.round(tookMs.archive)} and ${Math.round(tookMs.restore)} ms): ${killed} of ${KILLS} killed before their end, ${changed} runs had done their work; nothing was halfway\n`,
  );
  expect(killed).toBeGreaterThan(0);
});
