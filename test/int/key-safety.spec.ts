import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { KeySafetyWatchService } from '../../libs/administration/key-safety/key-safety-watch.service';
import { createDataSource } from '../../libs/database/data-source';
import {
  KeyFindingRepository,
  type FindingCount,
} from '../../libs/database/key-safety/key-finding.repository';
import { KeySafetyRepository } from '../../libs/database/key-safety/key-safety.repository';
import { ApiKeySearchRepository } from '../../libs/database/keys/api-key-search.repository';
import { FINDING_KINDS, weightOf, type FindingKind } from '../../libs/domain/keys/key-findings';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const [ACCOUNTS, KEYS] = [40, 1_000];

let database: TestDatabase;
let dataSource: DataSource;
let findings: KeyFindingRepository;
let safety: KeySafetyRepository;
let watch: KeySafetyWatchService;

const read = (name: string) => readFileSync(`bench/key-safety/${name}.sql`, 'utf8');
const byKind = (counts: FindingCount[]) => counts.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
const writtenByHand = async () => dataSource.query<FindingCount[]>(read('cards'));

/** Looks until a whole pass is over and nothing is due. */
async function scanEverything(): Promise<void> {
  await dataSource.query(`UPDATE key_safety_pass SET stage = 'keys', after = NULL`);
  for (;;) {
    const more = await watch.check();
    if (!more && (await safety.findPass())?.stage === 'done') return;
  }
}

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  // Ten days more than are looked at.
  const values = { accounts: ACCOUNTS, keys: KEYS, days: 40, hours: 2 };
  const world = read('world').replace(/:(accounts|keys|days|hours)\b/g, (_, name: keyof typeof values) =>
    String(values[name]),
  );
  await queryAs(database.ownerUrl, world);
  await queryAs(database.ownerUrl, 'ANALYZE');
  findings = new KeyFindingRepository(dataSource);
  safety = new KeySafetyRepository(dataSource);
  watch = new KeySafetyWatchService(dataSource, findings, safety);
  await scanEverything();
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

it('every card counts what a query written by hand counts, and its list has as many keys', async () => {
  const counts = byKind(await findings.count({}));
  expect(counts).toEqual(await writtenByHand());
  expect(counts.map(({ kind }) => kind)).toEqual(FINDING_KINDS.toSorted());
  const keys = new ApiKeySearchRepository(dataSource);
  for (const { kind, open } of counts) {
    expect(open).toBeGreaterThan(0);
    expect([kind, await keys.count({ finding: kind })]).toEqual([kind, open]);
  }
});

it('the cards of the accounts add up to those of all', async () => {
  const accounts = await dataSource.query<{ id: string }[]>('SELECT id FROM account');
  const sums = new Map<string, number>();
  for (const { id } of accounts)
    for (const { kind, open } of await findings.count({ accountId: id }))
      sums.set(kind, (sums.get(kind) ?? 0) + open);
  expect([...sums].sort()).toEqual(byKind(await findings.count({})).map(({ kind, open }) => [kind, open]));
});

it('an account manager counts the keys of their accounts, as the list behind each card and the list of accounts do', async () => {
  const managerId = randomUUID();
  const managed = await dataSource.query<[{ id: string }[], number]>(
    `UPDATE account SET manager_id = $1 WHERE get_byte(uuid_send(id), 0) % 3 = 0 RETURNING id`,
    [managerId],
  );
  const ids = new Set(managed[0].map(({ id }) => id));
  const keys = new ApiKeySearchRepository(dataSource);
  const [theirs, others, all] = [
    await findings.count({ managerId }),
    await findings.count({ managerId: null }),
    await findings.count({}),
  ];
  const openOf = (counts: FindingCount[], requested: string) =>
    counts.find(({ kind }) => kind === requested)?.open ?? 0;
  for (const { kind, open } of all) {
    expect([kind, openOf(theirs, kind) + openOf(others, kind)]).toEqual([kind, open]);
    expect([kind, await keys.count({ finding: kind, managerId })]).toEqual([kind, openOf(theirs, kind)]);
  }
  const scored: string[] = [];
  let after: { value: string; id: string } | null = null;
  let total = 0;
  do {
    const page = { order: 'score', descending: false, after, limit: 7, managerId } as const;
    const found = await safety.listAccounts(page);
    ({ total } = found);
    scored.push(...found.rows.map(({ accountId }) => accountId));
    const last = found.rows.at(-1);
    after = found.rows.length === 7 && last ? { value: last.position, id: last.accountId } : null;
  } while (after);
  expect(scored).toHaveLength(total);
  expect(scored.every((id) => ids.has(id))).toBe(true);
  const { total: withoutManager } = await safety.listAccounts({
    order: 'score',
    descending: true,
    after: null,
    limit: 1,
    managerId: null,
  });
  const { total: everyone } = await safety.listAccounts({
    order: 'score',
    descending: true,
    after: null,
    limit: 1,
  });
  expect([total > 0, total + withoutManager]).toEqual([true, everyone]);
});

it('the score of an account is the mean of what its enabled keys have left, today and now', async () => {
  const stored = await dataSource.query<{ account_id: string; score: number; keys: number }[]>(
    'SELECT account_id, score, keys FROM key_safety_day WHERE day = (now() AT TIME ZONE $1)::date',
    ['UTC'],
  );
  expect(stored.length).toBeGreaterThan(ACCOUNTS / 2);
  for (const { account_id: accountId, score, keys } of stored) {
    const enabled = await dataSource.query<{ kinds: FindingKind[] }[]>(
      `SELECT array(SELECT f.kind FROM key_finding f WHERE f.key_id = k.id AND NOT EXISTS (
         SELECT FROM key_finding_acceptance c WHERE c.key_id = f.key_id AND c.kind = f.kind AND c.until > now())) AS kinds
       FROM api_key k WHERE account_id = $1 AND deleted_at IS NULL AND disable_reason IS NULL
         AND (expires_at IS NULL OR expires_at > now())`,
      [accountId],
    );
    const points = enabled.map(({ kinds }) =>
      Math.max(
        0,
        kinds.reduce((left, kind) => left - weightOf(kind), 100),
      ),
    );
    expect(enabled).toHaveLength(keys);
    expect(Math.round(points.reduce((sum, one) => sum + one, 0) / keys)).toBe(score);
    expect((await findings.score(accountId)).score).toBe(score);
  }
});

it('a finding resolves itself when it no longer holds, at once for a key that was changed', async () => {
  const keysWith = async (kind: string) =>
    (
      await dataSource.query<{ key_id: string }[]>('SELECT key_id FROM key_finding WHERE kind = $1', [kind])
    ).map((row) => row.key_id);
  const expiring = (await keysWith('never_expires'))[0]!;
  const used = (await keysWith('idle')).find((id) => id !== expiring)!;
  await dataSource.query(`UPDATE api_key SET expires_at = now() + interval '1 day' WHERE id = $1`, [
    expiring,
  ]);
  await dataSource.query('UPDATE api_key_use SET last_used_at = now() WHERE key_id = $1', [used]);
  await dataSource.transaction((em) => findings.markDue([expiring], em));
  expect(await watch.check()).toBe(true);
  expect(await keysWith('never_expires')).not.toContain(expiring);
  expect(await keysWith('idle')).toContain(used);
  await scanEverything();
  expect(await keysWith('idle')).not.toContain(used);
  expect(byKind(await findings.count({}))).toEqual(await writtenByHand());
});

it('all keys of an account that was changed are looked at, however many it has', async () => {
  await dataSource.query(
    `UPDATE api_key SET account_id = (SELECT id FROM account WHERE status = 'active' ORDER BY id LIMIT 1)`,
  );
  const [row] = await dataSource.query<{ id: string }[]>(`SELECT DISTINCT account_id AS id FROM api_key`);
  await dataSource.query(`UPDATE account SET status = 'suspended' WHERE id = $1`, [row?.id]);
  await dataSource.transaction((em) => findings.markDue([row!.id], em));
  let rounds = 0;
  while (await watch.check()) rounds += 1;
  expect(rounds).toBeGreaterThan(1);
  const { open, accepted } = (await findings.count({})).find(({ kind }) => kind === 'idle_account')!;
  const [keys] = await dataSource.query<{ enabled: number }[]>(
    `SELECT count(*)::int AS enabled FROM api_key WHERE deleted_at IS NULL AND disable_reason IS NULL AND (expires_at IS NULL OR expires_at > now())`,
  );
  expect(open + accepted).toBe(keys?.enabled);
});
