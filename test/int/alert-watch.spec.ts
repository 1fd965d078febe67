import { createHash } from 'node:crypto';
import { AlertRepository, type Noticed } from '../../libs/database/alerts/alert.repository';
import { AlertWatchRepository } from '../../libs/database/alerts/alert-watch.repository';
import { addFirstAlertRules } from '../../libs/database/alerts/first-alert-rules';
import { alertKind } from '../../libs/domain/alerts/alert-kinds';
import { alertSentence } from '../../libs/domain/alerts/alert-text';
import { createDataSource } from '../../libs/database/data-source';
import { addBudget, budgetsOf } from '../support/budgets';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

let database: TestDatabase;
let dataSource: ReturnType<typeof createDataSource>;
const watch = new AlertWatchRepository();

/** Two accounts alike; someone hears about the first. */
const HEARD = idOf('account heard');
const UNHEARD = idOf('account unheard');

const FILL = `
  INSERT INTO account (id, name, tier, voice_limit, concurrency_limit, created_at)
    SELECT id, 'ACME', 'pro', 1, 1, now() - interval '200 days' FROM unnest(ARRAY['${HEARD}', '${UNHEARD}']::uuid[]) id;
  INSERT INTO contact (id, account_id, name, channel, email, categories)
    VALUES (md5('contact')::uuid, '${HEARD}', 'Ana', 'email', 'ana@example.com', '{credits,keys,security,operations}');
  INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
    SELECT id, 'account', id, 10000, 8000, p, p, p + interval '1 month'
    FROM account, LATERAL (SELECT now() - interval '10 days' AS p) q;
  SELECT write_ledger_line(id, NULL, NULL, now() - interval '10 days', 'charge', CASE WHEN hour < 24 THEN 2000 ELSE 100 END,
      'test', id::text || hour, NULL, now() - hour * interval '1 hour' - interval '1 minute')
    FROM account, unnest(ARRAY[1, 30, 60, 90, 120, 150]) hour;`;

/** A key of each account, as the columns of `api_key` after the name. */
async function addKeys(name: string, columns: Record<string, string> = {}): Promise<void> {
  const input = { created_at: `now() - interval '100 days'`, ...columns };
  await dataSource.query(
    `INSERT INTO api_key (id, account_id, name, ${Object.keys(input).join(', ')})
     SELECT md5('${name} ' || id)::uuid, id, '${name}', ${Object.values(input).join(', ')} FROM account`,
  );
}

function idOf(text: string): string {
  const hash = createHash('md5').update(text).digest('hex');
  return hash.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}

const keyOf = (name: string) => idOf(`${name} ${HEARD}`);

/** What is found, in short; noted, so that the next look finds nothing. */
async function check(list: (em: typeof dataSource.manager) => Promise<Noticed[]>): Promise<string[]> {
  const found = await list(dataSource.manager);
  const raised = await new AlertRepository(dataSource).insertNew(found, dataSource.manager);
  expect(raised).toHaveLength(found.length);
  expect(await list(dataSource.manager)).toEqual([]);
  expect(raised.filter(({ accountId }) => accountId !== HEARD)).toEqual([]);
  return raised.map(({ threshold, subject }) => `${threshold ?? ''} ${subject}`).sort();
}

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await createDataSource(database.url, 'test').initialize();
  await dataSource.query(FILL);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

it('finds keys that expire, each by the shortest time of its rules, and once for each', async () => {
  const inDays = (days: number) => ({ expires_at: `now() + interval '${days} days'` });
  await addKeys('in 20', inDays(20));
  await addKeys('in 5', inDays(5));
  await addKeys('in 40', inDays(40));
  await addKeys('gone', { expires_at: `now() - interval '1 day'` });
  await addKeys('short', { ...inDays(3), created_at: `now() - interval '1 day'` });
  await addKeys('off', { ...inDays(5), disable_reason: `'unused'` });
  const list = (em: typeof dataSource.manager) => watch.listExpiringKeys(em);
  expect(await check(list)).toEqual([`30 ${keyOf('in 20')}`, `7 ${keyOf('in 5')}`].sort());
  await dataSource.query(`UPDATE api_key SET expires_at = now() + interval '6 hours' WHERE name = 'in 5'`);
  expect(await check(list)).toEqual([`1 ${keyOf('in 5')}`]);
});

it('finds rotations that end', async () => {
  await addKeys('rotated');
  await dataSource.query(
    `INSERT INTO api_key_secret (digest, key_id, hint, number, retires_at)
     SELECT md5(id || '1'), id, 'hint', 1, now() + interval '5 hours' FROM api_key WHERE name = 'rotated'
     UNION ALL SELECT md5(id || '2'), id, 'hint', 2, NULL FROM api_key WHERE name = 'rotated'`,
  );
  expect(await check((em) => watch.listEndingRotations(em))).toEqual([`24 ${keyOf('rotated')}`]);
});

it('finds keys that are not used, and not those that are young, used, or do not work', async () => {
  await dataSource.query(
    `INSERT INTO api_key_use (key_id, last_used_at) SELECT id, now() FROM api_key ON CONFLICT DO NOTHING`,
  );
  await addKeys('never used');
  await addKeys('used long ago');
  await addKeys('young', { created_at: `now() - interval '10 days'` });
  await dataSource.query(
    `INSERT INTO api_key_use (key_id, last_used_at) SELECT id, now() - interval '95 days' FROM api_key WHERE name = 'used long ago'`,
  );
  const expected = [`90 ${keyOf('never used')}`, `90 ${keyOf('used long ago')}`].sort();
  expect(await check((em) => watch.listIdleKeys(em))).toEqual(expected);
});

it('finds keys whose list refused a request', async () => {
  await addKeys('refused');
  await dataSource.query(
    `INSERT INTO key_refusal (key_id, at, route, address, gate, reason, status, request_id)
     SELECT id, now(), 'GET /v1/models', '192.0.2.' || n, g, 'r', 403, 'req' FROM api_key, generate_series(1, 3) n,
       unnest(ARRAY['ip', 'scope']) g WHERE name = 'refused'`,
  );
  expect(await check((em) => watch.listRefusedByLists(em))).toEqual([` ${keyOf('refused')}`]);
});

it('an installation begins with a rule for keys of which half is refused', async () => {
  const rules = `SELECT threshold, channels FROM alert_rule WHERE kind = 'key_refused'`;
  expect(await dataSource.query(rules)).toEqual([{ threshold: 50, channels: ['email', 'chat'] }]);
});

it('finds keys of which a share was refused, by the highest share that was reached, and not a few refusals', async () => {
  await dataSource.query(
    `INSERT INTO alert_rule (id, scope, kind, threshold, channels) SELECT gen_random_uuid(), 'installation', 'key_refused', t, '{email}'
     FROM unnest(ARRAY[20, 90]) t`,
  );
  for (const name of ['refused often', 'refused rarely', 'refused a little']) await addKeys(name);
  await dataSource.query(
    `INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
     SELECT k.id, date_trunc('hour', now()), 'POST /v1/text-to-speech/:voice_id', '192.0.2.1', u.outcome, u.requests, now(), now()
     FROM api_key k JOIN (VALUES
       ('refused often', 'limit', 40), ('refused often', 'credits', 15), ('refused often', 'ip', 5), ('refused often', 'served', 40),
       ('refused rarely', 'limit', 15), ('refused rarely', 'served', 85),
       ('refused a little', 'limit', 9), ('refused a little', 'scope', 5)
     ) u (name, outcome, requests) ON u.name = k.name`,
  );
  const found = await watch.listRefusedKeys(dataSource.manager);
  expect(found.map(({ data }) => data)).toEqual([
    expect.objectContaining({
      requests: 100,
      refused: 60,
      percent: 60,
      too_many: 40,
      no_credits: 15,
      address: 5,
    }),
  ]);
  expect(await check((em) => watch.listRefusedKeys(em))).toEqual([`50 ${keyOf('refused often')}`]);
  const [alert] = found;
  expect(
    alertSentence({
      kind: 'key_refused',
      threshold: 50,
      accountName: 'ACME',
      keyName: 'k',
      data: alert!.data,
    }),
  ).toMatch(
    /^60 of 100 requests of the key “k” \(60 %\) were refused from .* on: 40 too many .*, 15 without credits \(402\), 5 from/,
  );
});

it('finds a refusal of each day by UTC, whatever the time zone of the server', async () => {
  await addKeys('refused by day');
  await dataSource.query(
    `INSERT INTO key_refusal (key_id, at, route, address, gate, reason, status, request_id)
     SELECT id, at, 'GET /v1/models', '192.0.2.1', 'ip', 'r', 403, 'req' FROM api_key,
       unnest(ARRAY[now() - interval '4 minutes', now() - interval '30 seconds']) at WHERE name = 'refused by day'`,
  );
  const periods = await dataSource.transaction(async (em) => {
    // A zone in which midnight was between the two.
    const minutes = `date_part('epoch', now() - interval '90 seconds')::bigint / 60 % 1440`;
    const [zone] = await em.query<{ minutes: number }[]>(`SELECT ${minutes} AS minutes`);
    const shift = zone!.minutes;
    const text = `${String(Math.floor(shift / 60)).padStart(2, '0')}:${String(shift % 60).padStart(2, '0')}`;
    await em.query(`SET LOCAL timezone = 'X+${text}'`);
    const found = await watch.listRefusedByLists(em);
    return found.filter(({ keyId }) => keyId === keyOf('refused by day')).map(({ period }) => period);
  });
  expect(periods).not.toEqual([]);
  expect(periods).toEqual([...new Set(periods)]);
});

it('finds networks that are new to a key, not those of its first day, and not addresses that nobody knows', async () => {
  await addKeys('moved');
  await addKeys('new');
  const use = async (name: string, address: string, ago: string) =>
    dataSource.query(
      `INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
       SELECT id, date_trunc('hour', t.at), 'GET /', $2, 'served', 1, t.at, t.at
       FROM api_key, LATERAL (SELECT now() - $3::interval AS at) t WHERE name = $1`,
      [name, address, ago],
    );
  await use('moved', '203.0.113.7', '5 days');
  for (const address of [
    '203.0.113.99',
    '198.51.100.1',
    '198.51.100.2',
    '2001:db8:1:2::1',
    'unknown',
    'other',
  ])
    await use('moved', address, '1 minute');
  await use('new', '192.0.2.1', '1 minute');
  const [four, six] = [`${keyOf('moved')} 198.51.100.0/24`, `${keyOf('moved')} 2001:db8:1::/48`];
  expect(await check((em) => watch.listNewNetworks(em))).toEqual([` ${four}`, ` ${six}`].sort());
});

it('finds accounts that run out of credits, and that use more than usual', async () => {
  // 2,500 in seven days: the 2,000 that are left last 5.6 more, and the period ends later. 2,000 in a day; 18 a day before.
  const heard = async (after: string | null) => watch.listSpenders(after, 10, dataSource.manager);
  expect([await heard(null), await heard(HEARD)]).toEqual([[HEARD], []]);
  expect(await check((em) => watch.listForecasts([HEARD], em))).toEqual([`7 ${HEARD}`]);
  expect(await check((em) => watch.listSpikes([HEARD], em))).toEqual([`5 ${HEARD}`]);
  await dataSource.query(`UPDATE account SET status = 'suspended'`);
  await dataSource.query(`DELETE FROM alert`);
  expect(await check((em) => watch.listForecasts([HEARD], em))).toEqual([]);
});

it('finds shares of credits for everyone only when asked to', async () => {
  await dataSource.query(`DELETE FROM alert`);
  const quotas = (everyone: boolean) => watch.listReachedQuotas(everyone, dataSource.manager);
  const subjects = async (everyone: boolean) => (await quotas(everyone)).map(({ subject }) => subject).sort();
  expect(await subjects(true)).toEqual([HEARD]);
  await dataSource.query(
    `INSERT INTO contact (id, name, channel, email, categories) VALUES (md5('staff')::uuid, 'Staff', 'email', 's@example.com', '{credits}')`,
  );
  expect(await subjects(false)).toEqual([HEARD]);
  expect(await subjects(true)).toEqual([HEARD, UNHEARD].sort());
});

it('finds shares of budgets, once for each window and amount', async () => {
  await dataSource.query(`DELETE FROM alert; DELETE FROM contact WHERE account_id IS NULL`);
  const list = (em: typeof dataSource.manager) => watch.listReachedQuotas(false, em);
  await check(list);
  await addKeys('budgeted');
  const ofAccount = await addBudget(dataSource, HEARD, { amount: 100, name: 'Daily' });
  const ofKey = await addBudget(dataSource, HEARD, { amount: 1_000, keyId: keyOf('budgeted') });
  await addBudget(dataSource, UNHEARD, { amount: 100 });
  const use = async (share: number) =>
    dataSource.query(`UPDATE budget SET used = amount * $1::float8`, [share]);

  await use(0.79);
  expect(await check(list)).toEqual([]);
  await use(0.8);
  const found = await list(dataSource.manager);
  const about = found.map(({ subject, keyId }) => [subject, keyId]);
  const expected = [
    [ofAccount.id, null],
    [ofKey.id, keyOf('budgeted')],
  ];
  expect(about).toEqual(expect.arrayContaining(expected));
  expect(found.find(({ subject }) => subject === ofAccount.id)!.data).toEqual({
    credits_used: 80,
    credit_limit: 100,
    period_start_unix: expect.any(Number),
    budget: { id: ofAccount.id, name: 'Daily', window: 'day', renews_at: expect.stringMatching(/Z$/) },
  });
  expect(await check(list)).toEqual([`80 ${ofAccount.id}`, `80 ${ofKey.id}`].sort());
  await use(1);
  expect(await check(list)).toEqual([`100 ${ofAccount.id}`, `100 ${ofKey.id}`].sort());

  await dataSource.transaction((em) => budgetsOf(dataSource).change(ofAccount.id, { amount: 120 }, em));
  expect(await check(list)).toEqual([`80 ${ofAccount.id}`]);
  await dataSource.query(
    `UPDATE budget SET window_start = window_start + interval '1 day', window_end = window_end + interval '1 day'`,
  );
  expect(await check(list)).toEqual([`100 ${ofKey.id}`, `80 ${ofAccount.id}`, `80 ${ofKey.id}`].sort());
});

it('finds no share of a budget of a key that is deleted', async () => {
  await addKeys('deleted', { deleted_at: 'now()' });
  const { id } = await addBudget(dataSource, HEARD, { amount: 100, keyId: keyOf('deleted') });
  await dataSource.query('UPDATE budget SET used = 100 WHERE id = $1', [id]);
  const found = await watch.listReachedQuotas(false, dataSource.manager);
  expect(found.map(({ subject }) => subject)).not.toContain(id);
});

it('a receiver that has failed for as long as a rule says, or was switched off for it, is found once', async () => {
  await dataSource.query(
    `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint, failing_since, disabled_at, disabled_reason, last_error)
     SELECT md5(r.name || a.id)::uuid, a.id, r.name, 'https://x.test', '{}', '', '', now() - r.failing * interval '1 minute',
       now() - r.disabled * interval '1 minute', r.reason, 'responded 500'
     FROM account a, (VALUES ('failing', 40, NULL::int, NULL), ('fails shortly', 10, NULL, NULL), ('switched off', NULL, 50, 'failing'),
       ('by staff', NULL, 50, 'staff')) AS r (name, failing, disabled, reason)`,
  );
  const found = await check((em) => watch.listFailingReceivers(em));
  expect(found).toEqual(['failing', 'switched off'].map((name) => `30 ${idOf(name + HEARD)}`).sort());
});

it('a new kind of alert brings its first rules once: what staff delete stays deleted', async () => {
  const owner = await createDataSource(database.ownerUrl, 'test').initialize();
  const row = alertKind('dead_letters');
  const kinds = { sunspots: { ...row, firstRules: [3, null] }, eclipses: row };
  const listRules = () =>
    owner.query<unknown[]>(
      `SELECT scope, kind, threshold, channels FROM alert_rule WHERE kind IN ('sunspots', 'eclipses') ORDER BY threshold`,
    );
  try {
    await addFirstAlertRules(kinds, owner.manager);
    const rule = { scope: 'installation', kind: 'sunspots', channels: ['email', 'chat'] };
    expect(await listRules()).toEqual([
      { ...rule, threshold: 3 },
      { ...rule, threshold: null },
    ]);
    await owner.query(`DELETE FROM alert_rule WHERE threshold = 3 AND kind = 'sunspots'`);
    await addFirstAlertRules(kinds, owner.manager);
    expect(await listRules()).toEqual([{ ...rule, threshold: null }]);
  } finally {
    await owner.query(`DELETE FROM alert_rule WHERE kind = 'sunspots'`);
    await owner.destroy();
  }
});
