import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../../libs/config/app-config';
import { FolderArchiveStore } from '../../libs/archive-store/folder-archive-store';
import { CreditBalances } from '../../libs/credits/credit-balances';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { LedgerArchive } from '../../libs/credits/ledger-archive';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { CreditLedgerRepository } from '../../libs/database/credits/credit-ledger.repository';
import { CreditRepository } from '../../libs/database/credits/credit.repository';
import { LedgerArchiveRepository } from '../../libs/database/credits/ledger-archive.repository';
import { createDataSource } from '../../libs/database/data-source';
import { archiveMonths } from '../../src/cli/archive.command';
import { movePeriodsBack } from '../support/move-periods-back';
import { queryAs } from '../support/query-as';
import { TemporaryFolder } from '../support/temporary-folder';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: DataSource;
let owner: DataSource;
let credits: CreditRepository;
let ledger: CreditLedger;
let months: LedgerArchiveRepository;
let archive: LedgerArchive;
let folder: TemporaryFolder;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  owner = await createDataSource(database.ownerUrl, 'test-owner').initialize();
  credits = new CreditRepository(dataSource);
  ledger = new CreditLedger(credits);
  months = new LedgerArchiveRepository(owner);
  folder = TemporaryFolder.make('greenroom-archive-');
  archive = new LedgerArchive(months, new FolderArchiveStore(folder.path));
  // In the first days of a month, the present period began in the last one.
  await queryAs(
    database.ownerUrl,
    `SELECT make_ledger_month((date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month')::date)`,
  );
  accountId = await spendLongAgo();
});

afterAll(async () => {
  await dataSource.destroy();
  await owner.destroy();
  await database.drop();
  folder.remove();
});

/** An account whose keys, one of them created by another, have charged, held and refunded in a period long ago. */
async function spendLongAgo(): Promise<string> {
  const id = randomUUID();
  const [keyId, childId] = [randomUUID(), randomUUID()];
  await dataSource.transaction(async (em) => {
    await em.query(
      `INSERT INTO account (id, name, tier, voice_limit, concurrency_limit) VALUES ($1, 'ACME', 'pro', 1, 1)`,
      [id],
    );
    await credits.openAccountBalance(id, 10_000, em);
    await credits.openKeyBalance(keyId, id, 5_000, em);
    await credits.openKeyBalance(childId, id, null, em, [keyId]);
  });
  const spend = (key: string, cost: number, requestId: string, holdSecs?: number) =>
    ledger.charge({ keyId: key, accountId: id, cost, operation: 'test', requestId, holdSecs });
  await Promise.all(Array.from({ length: 40 }, (_, index) => spend(keyId, index, randomUUID())));
  await spend(childId, 25, 'a text "of" the \\ caller');
  await spend(keyId, 30, 'held', 600);
  await ledger.capture(id, 'held', 12);
  await spend(keyId, 11, 'refunded');
  await ledger.refund(id, 'refunded');
  const balances = new CreditBalances(credits, new CreditLedgerRepository(dataSource));
  const grant = {
    accountId: id,
    keyId,
    kind: 'grant' as const,
    amount: 77,
    requestId: 'grant',
    actor: 'ana',
  };
  await dataSource.transaction((em) => balances.adjust(grant, em));
  await movePeriodsBack(database.ownerUrl);
  await spend(keyId, 3, 'now');
  return id;
}

const lines = () =>
  dataSource.query<object[]>(`SELECT * FROM credit_ledger WHERE account_id = $1 ORDER BY id`, [accountId]);

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const balanced = async () => (await reconcileCredits(dataSource)).breaches;

it('a month becomes files, its lines are deleted, restored, and the same; the ledger adds up all the while', async () => {
  const before = await lines();
  expect(await balanced()).toEqual([]);
  expect(await months.makeMonths(3)).toBe(1);
  const [old] = (await months.listMonths()).filter(({ isOver }) => isOver);

  const archived = await archive.archive(old!.month);
  expect(archived.lines).toBe(before.length - 1);
  expect(await lines()).toHaveLength(1);
  expect(await balanced()).toEqual([]);
  expect(await archive.findProblem(archived)).toBeNull();
  expect((await months.listMonths()).map(({ month }) => month)).not.toContain(old!.month);

  await expect(archive.archive(old!.month)).rejects.toThrow(`${old!.month}: the ledger has no such month.`);
  await archive.restore(old!.month);
  expect(await lines()).toEqual(before);
  expect(await balanced()).toEqual([]);
  await expect(archive.restore(old!.month)).rejects.toThrow(`${old!.month}: it is not archived.`);
});

it('what is spent for an archived month later counts as well, and the month is not created again', async () => {
  const [old] = (await months.listMonths()).filter(({ isOver }) => isOver);
  await archive.archive(old!.month);
  await queryAs(
    database.ownerUrl,
    `SELECT write_ledger_line($1, NULL, NULL, h.period_start, 'adjustment', 5, 'adjustment', 'late', 'ana')
     FROM credit_balance_history h WHERE h.subject_id = $1`,
    [accountId],
  );
  expect(await balanced()).toMatchObject([{ subjectId: accountId, problems: ['used'] }]);
  await queryAs(
    database.ownerUrl,
    'UPDATE credit_balance_history SET used = used + 5 WHERE subject_id = $1',
    [accountId],
  );
  expect(await balanced()).toEqual([]);
  expect(await months.makeMonths(3)).toBe(0);
  const asApplication = new LedgerArchiveRepository(dataSource);
  expect(await asApplication.findMissing()).toEqual({ linesElsewhere: 1, monthsMissing: 0 });
  await archive.restore(old!.month);
  expect(await balanced()).toEqual([]);
  expect(await months.findMissing()).toEqual({ linesElsewhere: 0, monthsMissing: 0 });
});

it('a run that ends before its last step has changed nothing, and is run again', async () => {
  const [old] = (await months.listMonths()).filter(({ isOver }) => isOver);
  const before = await lines();
  const ending = new LedgerArchive(
    months,
    new (class extends FolderArchiveStore {
      override read(): Promise<Buffer | null> {
        throw new Error('ended');
      }
    })(folder.path),
  );
  await expect(ending.archive(old!.month)).rejects.toThrow('ended');
  expect(await lines()).toEqual(before);
  expect(await balanced()).toEqual([]);
  await archive.archive(old!.month);
  await archive.restore(old!.month);
  expect(await lines()).toEqual(before);
});

/** A mount takes the rights of root. */
(process.getuid?.() === 0 ? it : it.skip)(
  'a disk that fills is named, leaves nothing half, and deletes no line',
  async () => {
    const [old] = (await months.listMonths()).filter(({ isOver }) => isOver);
    const before = await lines();
    const disk = TemporaryFolder.make('greenroom-full-archive-', 1);
    try {
      const full = new LedgerArchive(months, new FolderArchiveStore(disk.path));
      await new FolderArchiveStore(disk.path).write(`ledger/${old!.month}/first`, Buffer.alloc(1));
      disk.fill();
      await expect(full.archive(old!.month)).rejects.toThrow(
        `${old!.month}: ${disk.path} cannot be written: the disk is full. No line was deleted from the ledger; repair that, and run it again.`,
      );
      expect(readdirSync(join(disk.path, 'ledger', old!.month))).toEqual(['first']);
      expect(await lines()).toEqual(before);
      disk.free();
      await full.archive(old!.month);
      await full.restore(old!.month);
      expect(await lines()).toEqual(before);
    } finally {
      disk.remove();
    }
  },
);

it('a month with open periods, and lines that are added while files are written, are not archived', async () => {
  const present = new Date().toISOString().slice(0, 7);
  const notOver = 'billing periods that began in it, or the ones after those, have not ended';
  await expect(archive.archive(present)).rejects.toThrow(notOver);
  // A period that began on the last day of that month has just ended; its request ids can still be repeated in the next one.
  const [recent] = await queryAs<{ month: string }>(
    database.ownerUrl,
    `SELECT to_char(m, 'YYYY-MM') AS month, make_ledger_month(m::date)
     FROM date_trunc('month', now() AT TIME ZONE 'UTC' - interval '2 months') m`,
  );
  expect(await archive.findObstacle(recent!.month)).toBe(notOver);
  const [old] = (await months.listMonths()).filter(({ isOver }) => isOver);
  const before = await lines();
  const meanwhile = new LedgerArchive(
    months,
    new (class extends FolderArchiveStore {
      override async write(name: string, bytes: Buffer): Promise<void> {
        await super.write(name, bytes);
        await ledger.refund(accountId, 'held');
      }
    })(folder.path),
  );
  await expect(meanwhile.archive(old!.month)).rejects.toThrow('lines were added meanwhile; run it again');
  expect(await lines()).toHaveLength(before.length + 1);
  await archive.archive(old!.month);
  expect(await balanced()).toEqual([]);
});

it('a month that is archived again replaces none of the files of the first time, which an older backup may need', async () => {
  const [first] = await months.listArchived();
  await archive.restore(first!.month);
  await ledger.refund(accountId, 'a text "of" the \\ caller');
  await archive.archive(first!.month);
  const [second] = await months.listArchived();
  expect(second!.lines).toBe(first!.lines + 1);
  for (const { name, sha256 } of [...first!.files, ...second!.files])
    expect([name, sha256Of(readFileSync(join(folder.path, name)))]).toEqual([name, sha256]);
});

it('a file that has changed, or is missing, is found, and nothing is restored from it', async () => {
  const [archived] = await months.listArchived();
  const path = join(folder.path, archived!.files[0]!.name);
  const bytes = readFileSync(path);
  const other = Buffer.from(bytes);
  other[200]! ^= 1;
  writeFileSync(path, other);
  const problem = `The file ${archived!.files[0]!.name}: its bytes are not those that were written.`;
  expect(await archive.findProblem(archived!)).toBe(problem);
  await expect(archive.restore(archived!.month)).rejects.toThrow(problem);
  expect(await lines()).toHaveLength(1);
  writeFileSync(path, bytes);
  await queryAs(database.ownerUrl, `UPDATE ledger_closing SET used = used + 1 WHERE subject_id = $1`, [
    accountId,
  ]);
  expect(await archive.findProblem(archived!)).toMatch(
    new RegExp(`^${accountId}, period from .*: used \\d+ in the files`),
  );
});

it('without LEDGER_KEPT_MONTHS every month stays, which only --apply refuses', async () => {
  const config = loadConfig({ DATABASE_URL: database.url, DATA_DIR: folder.path });
  await archiveMonths(config, {});
  await expect(archiveMonths(config, { apply: true })).rejects.toThrow(
    'Give a --month, or set LEDGER_KEPT_MONTHS to how many months stay in the database.',
  );
});

it('a month that cannot be archived keeps none of the others in the ledger', async () => {
  const [archived] = await months.listArchived();
  await archive.restore(archived!.month);
  const earlier = '2020-01';
  await queryAs(
    database.ownerUrl,
    `SELECT make_ledger_month('${earlier}-01');
     INSERT INTO credit_hold (account_id, request_id, key_id, period_start, amount, operation, deadline)
     VALUES ('${accountId}', 'never ended', '${randomUUID()}', '${earlier}-05', 5, 'test', '${earlier}-06')`,
  );
  const config = loadConfig({
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    DATA_DIR: folder.path,
    LEDGER_KEPT_MONTHS: '2',
  });
  await expect(archiveMonths(config, { apply: true })).rejects.toThrow(
    `${earlier}: it has holds that have not ended; a running worker ends them.`,
  );
  expect((await months.listArchived()).map(({ month }) => month)).toEqual([archived!.month]);
  expect((await months.listMonths()).map(({ month }) => month)).toContain(earlier);
});
