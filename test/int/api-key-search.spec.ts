import { createHash } from 'node:crypto';
import { createDataSource } from '../../libs/database/data-source';
import { accountsWithContact } from '../../libs/database/accounts/account-conditions';
import { Conditions } from '../../libs/database/common/conditions';
import type { ApiKeyFilter, ApiKeyOrder } from '../../libs/database/keys/api-key-filter';
import type { ApiKeyPage } from '../../libs/database/keys/api-key-page';
import { ApiKeySearchRepository } from '../../libs/database/keys/api-key-search.repository';
import { queryAs } from '../support/query-as';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const KEYS = 25_000;
const LIMIT = 40;

let database: TestDatabase;
let dataSource: ReturnType<typeof createDataSource>;
let keys: ApiKeySearchRepository;

// More keys than are counted exactly. The older half are named "old …", so that a walk from the newest finds none of them.
const FILL = `
  INSERT INTO account (id, name, tier, voice_limit, concurrency_limit)
    VALUES (md5('account 0')::uuid, 'Large', 'pro', 1, 1), (md5('account 1')::uuid, 'Small', 'pro', 1, 1);
  INSERT INTO contact (id, account_id, name, channel, email, categories)
    SELECT md5('contact ' || n)::uuid, md5('account 0')::uuid, 'Contact ' || n, 'email', 'contact' || n || '@large.test', '{}'
    FROM generate_series(1, 2000) n;
  INSERT INTO api_key (id, account_id, name, permissions, expires_at, created_at)
    SELECT md5('key ' || n)::uuid, md5('account ' || (n % 100 = 0)::int)::uuid,
      CASE WHEN n <= ${KEYS / 2} THEN 'old ' ELSE 'New ' END || n % 7,
      CASE WHEN n % 3 = 0 THEN NULL ELSE ARRAY['voices_read'] END,
      CASE WHEN n % 5 = 0 THEN now() + n * interval '1 minute' END, now() - (${KEYS} - n) / 3 * interval '1 minute'
    FROM generate_series(1, ${KEYS}) n;
  INSERT INTO api_key_secret (digest, key_id, hint) SELECT md5('digest ' || id), id, 'grk_…' || right(id::text, 4) FROM api_key;
  INSERT INTO api_key_use (key_id, last_used_at) SELECT id, CASE WHEN permissions IS NULL THEN created_at END FROM api_key;
  INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
    SELECT id, 'key', account_id, CASE WHEN permissions IS NULL THEN 1000 END, 
      (extract(epoch FROM now() - created_at) / 60)::bigint % 1000, now(), now(), now() + interval '1 month' FROM api_key;`;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  // As the owner, whose statements may take their time.
  await queryAs(database.ownerUrl, FILL);
  await queryAs(database.ownerUrl, 'VACUUM ANALYZE');
  keys = new ApiKeySearchRepository(dataSource);
});

afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const OLD_NAMES = { sql: `k.name ILIKE '%old%'`, total: KEYS / 2 };
const FILTERS: Record<string, { filter: ApiKeyFilter; sql: string; total: number }> = {
  everything: { filter: {}, sql: 'true', total: KEYS },
  'a name part that only old keys have': { filter: { namePart: 'OLD' }, ...OLD_NAMES },
  'a rare name part': { filter: { namePart: 'ew 3' }, sql: `k.name LIKE '%ew 3%'`, total: KEYS / 14 },
  'a beginning of two letters': { filter: { namePart: 'ne' }, sql: `k.name LIKE 'New%'`, total: KEYS / 2 },
  'a small owner': {
    filter: { accountId: createHash('md5').update('account 1').digest('hex') },
    sql: `k.account_id = md5('account 1')::uuid`,
    total: KEYS / 100,
  },
  'a scope': { filter: { permission: 'voices_write' }, sql: 'k.permissions IS NULL', total: KEYS / 3 },
  'never used or not lately, and old': {
    filter: { unusedSince: new Date(Date.now() - 60_000), namePart: 'old' },
    ...OLD_NAMES,
  },
  'most of its credits used': {
    filter: { creditShare: 0.5 },
    sql: 'b.used >= b.credit_limit / 2',
    total: 4_000,
  },
};

const ORDERS: Record<ApiKeyOrder, string> = {
  created_at: 'k.created_at',
  name: 'lower(k.name) COLLATE "C"',
  expires_at: `coalesce(k.expires_at, 'infinity')`,
  last_used_at: `coalesce(u.last_used_at, '-infinity')`,
  credit_share: 'coalesce(b.used::float8 / b.credit_limit, -1)',
};

describe.each(Object.entries(FILTERS))('of %s', (_, { filter, sql, total }) => {
  const cases = Object.keys(ORDERS).flatMap((order) => [
    [order as ApiKeyOrder, false] as const,
    [order as ApiKeyOrder, true] as const,
  ]);

  it.each(cases)('the pages by %s, descending %p, are those of the whole list', async (order, descending) => {
    const direction = descending ? 'DESC' : 'ASC';
    const whole = await dataSource.query<{ id: string }[]>(
      `SELECT k.id FROM api_key k JOIN api_key_use u ON u.key_id = k.id JOIN credit_balance b ON b.subject_id = k.id WHERE ${sql}
       ORDER BY ${ORDERS[order]} ${direction}, k.id ${direction} LIMIT ${3 * LIMIT}`,
    );
    const paged: string[] = [];
    const page: ApiKeyPage = { order, descending, after: null, limit: LIMIT };
    for (let number = 0; number < 3; number += 1) {
      const found = await keys.search(filter, page);
      paged.push(...found.rows.map(({ id }) => id));
      const last = found.rows.at(-1)!;
      page.after = { value: last.position, id: last.id };
      expect(Math.abs(found.total - total)).toBeLessThanOrEqual(found.estimated ? total * 0.1 : 1);
    }
    expect(paged).toEqual(whole.map(({ id }) => id));
  });
});

it('looks contacts up by their indexes', async () => {
  const where = new Conditions();
  const found = accountsWithContact('contact77@', where);
  const plan = JSON.stringify(await dataSource.query(`EXPLAIN ${found}`, where.values));
  for (const index of ['contact_name_part_idx', 'contact_email_part_idx']) expect(plan).toContain(index);
});
