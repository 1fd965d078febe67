import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALERT_KIND_NAMES, alertKind, type AlertKind } from '../../libs/domain/alerts/alert-kinds';
import { channelsOf } from '../../libs/domain/alerts/alert-rule';
import { eventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { storeDeadLetter, storeVoice } from '../support/stored-voices';
import { TemporaryFolder } from '../support/temporary-folder';
import { WebhookReceiver } from '../support/webhook-receiver';
import { WorkerProcess } from '../support/worker-process';
import { FAULT_OPTIONS, pause, seededRandom } from './fault-options';

/** What the worker does when it is killed. */
const MOMENTS = ['notices', 'sends', 'does anything'] as const;
const KILLS = FAULT_OPTIONS.isLong ? 20 : 3;
const ACCOUNTS_A_ROUND = 3;
/** A lease of the relay (15 s), a message that lost its job (60 s), and the sweeper's pause (20 s) one after another. */
const DRAIN_MS = 150_000;
const UP_TO_MS = 1_200;
const REASON = { reason: 'The customer requested it' };
/** Noticed once a day. */
const DAILY: AlertKind[] = ['spend_spike', 'list_refused', 'review_backlog', 'dead_letters'];

jest.setTimeout(600_000);

let folder: TemporaryFolder;
let stack: Stack;
let mails: MailServer;
let hooks: WebhookReceiver;
let manager: StaffClient;
let admin: StaffClient;
const random = seededRandom(FAULT_OPTIONS.seed);

beforeAll(async () => {
  [mails, hooks] = await Promise.all([MailServer.start(), WebhookReceiver.start()]);
  folder = TemporaryFolder.make('greenroom-alerts-');
  const table = join(folder.path, 'countries.csv');
  writeFileSync(table, '198.51.100.0,198.51.100.255,FR\n203.0.113.0,203.0.113.255,DE\n');
  stack = await Stack.start({
    worker: false,
    env: {
      COUNTRY_TABLE_PATH: table,
      WEBHOOK_PRIVATE_NETWORKS: 'allow',
      SMTP_URL: mails.url,
      MAIL_FROM: 'alerts@greenroom.test',
      PUBLIC_URL: 'https://greenroom.test',
    },
  });
  manager = await StaffClient.signedIn(stack, 'account_manager');
  admin = await StaffClient.signedIn(stack, 'admin');
  for (const kind of ALERT_KIND_NAMES)
    await stack.dataSource.query('UPDATE alert_rule SET channels = $2 WHERE kind = $1', [
      kind,
      channelsOf(kind),
    ]);
});
afterAll(async () => {
  await stack.stop();
  await mails.stop();
  await hooks.stop();
  folder.remove();
});

/** An account whose rules of every kind fire, and the same for the installation: everyone hears through everything. */
const FILL = `
  WITH balance AS (
    INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
    SELECT $1::uuid, 'account', $1, 10000, 8000, p, p, p + interval '1 month' FROM (SELECT now() - interval '10 days' AS p) q
    ON CONFLICT (subject_id) DO UPDATE SET credit_limit = 10000, used = 8000, period_anchor = excluded.period_anchor,
      period_start = excluded.period_start, period_end = excluded.period_end
  ), key AS (
    INSERT INTO api_key (id, account_id, name, created_at, expires_at)
    SELECT gen_random_uuid(), $1, name, now() - interval '100 days', CASE name WHEN 'expiring' THEN now() + interval '5 days' END
    FROM unnest(ARRAY['expiring', 'rotated', 'idle', 'refused', 'moved', 'old']) name RETURNING id, name
  ), used AS (
    INSERT INTO api_key_use (key_id, last_used_at) SELECT id, CASE WHEN name <> 'idle' THEN now() END FROM key
  ), policy AS (
    INSERT INTO key_policy (id, account_id, rotation_age_days, idle_warn_days, updated_at) VALUES (gen_random_uuid(), $1, 90, 95, now())
  ), old AS (
    INSERT INTO api_key_secret (digest, key_id, hint, number, created_at)
    SELECT md5(id::text), id, 'hint', 1, now() - interval '100 days' FROM key WHERE name = 'old'
  ), rotated AS (
    INSERT INTO api_key_secret (digest, key_id, hint, number, retires_at)
    SELECT md5(id::text || n), id, 'hint', n, CASE n WHEN 1 THEN now() + interval '5 hours' END
    FROM key, generate_series(1, 2) n WHERE name = 'rotated'
  ), refused AS (
    INSERT INTO key_refusal (key_id, at, route, address, gate, reason, status, request_id)
    SELECT id, now(), 'GET /v1/models', '192.0.2.1', 'ip', 'r', 403, 'req' FROM key WHERE name = 'refused'
  ), failing AS (
    INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint, disabled_at, disabled_reason, last_error)
    VALUES (gen_random_uuid(), $1, 'failing', 'https://x.test', '{}', '', '', now() - interval '1 hour', 'failing', 'responded 500')
  ), moved AS (
    INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
    SELECT id, date_trunc('hour', at), 'GET /', address, 'served', 1, at, at
    FROM key, (VALUES ('203.0.113.7', now() - interval '5 days'), ('198.51.100.1', now())) t (address, at) WHERE name = 'moved'
  ), limited AS (
    INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
    SELECT id, date_trunc('hour', now()), 'GET /', '192.0.2.1', 'limit', 1000, now(), now() FROM key WHERE name = 'refused'
  )
  SELECT`;

/** What the account has spent: 2,000 of it within the last day. */
const SPEND = `
  SELECT write_ledger_line($1::uuid, NULL, NULL, period_start, 'charge', CASE WHEN hour < 24 THEN 2000 ELSE 100 END, 'test',
    $1::text || hour, NULL, now() - hour * interval '1 hour' - interval '1 minute')
  FROM credit_balance, unnest(ARRAY[1, 30, 60, 90, 120, 150]) hour WHERE subject_id = $1::uuid`;

const ABOUT_ACCOUNTS = ALERT_KIND_NAMES.filter((kind) => alertKind(kind).about !== 'installation');
/**
 * Without missing backups, which need a schedule (`test/launcher/scheduled-backups.spec.ts`), and failing checks, which a worker has to
 * see for ten minutes (`test/int/queue/alert-rounds.spec.ts`).
 */
const ABOUT_INSTALLATION = ALERT_KIND_NAMES.filter(
  (kind) => alertKind(kind).about === 'installation' && !['backup_missing', 'check_failed'].includes(kind),
);

async function add(route: string, fields: Record<string, unknown>): Promise<void> {
  const { status, text } = await (route.startsWith('/admin/accounts/') ? manager : admin).post(route, {
    ...fields,
    ...REASON,
  });
  expect([status, text]).toEqual([201, expect.anything()]);
}

/** A person and a hook who hear everything. */
async function addContacts(route: string, categories: string[]): Promise<void> {
  const id = randomUUID();
  await add(route, { name: 'Ana', channel: 'email', email: `${id}@customer.test`, categories });
  await add(route, { name: 'Hook', channel: 'chat', url: hooks.url(`/chat/${id}`), categories });
}

async function openAccount(): Promise<string> {
  const accountId = await stack.openAccount('pro');
  await stack.asOwner(`UPDATE account SET created_at = now() - interval '200 days' WHERE id = $1`, [
    accountId,
  ]);
  const route = `/admin/accounts/${accountId}`;
  await addContacts(`${route}/contacts`, ['credits', 'keys', 'security', 'operations']);
  const url = hooks.url(`/webhook/${accountId}`);
  await add(`${route}/webhooks`, { name: 'Theirs', url, events: ['quota.reached', 'alert.raised'] });
  await stack.asOwner(FILL, [accountId]);
  await stack.asOwner(SPEND, [accountId]);
  const { keyId } = await stack.issueKey({ accountId });
  const leak = { disable_reason: 'exposed_publicly', ...REASON };
  const disabled = await manager.post(`/admin/api-keys/${keyId}/disable`, leak, { 'if-match': '*' });
  expect([disabled.status, disabled.text]).toEqual([200, expect.anything()]);
  return accountId;
}

/** A review that failed after its last attempt, and one of an hour ago that waits for a job which is due tomorrow. */
async function fillInstallation(): Promise<void> {
  await addContacts('/admin/contacts', ['operations']);
  await storeDeadLetter(stack, 'a test');
  const waiting = await storeVoice(stack);
  await stack.asOwner(
    `WITH later AS (UPDATE outbox SET available_at = now() + interval '1 day', account_id = NULL WHERE voice_id = $1)
     UPDATE review_event SET at = now() - interval '1 hour' WHERE voice_id = $1`,
    [waiting],
  );
}

/** Holds up every transaction that enqueues a job until `release`. */
async function holdNotices(): Promise<{ blocked: () => Promise<void>; release: () => Promise<void> }> {
  const runner = stack.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query('LOCK TABLE outbox IN SHARE ROW EXCLUSIVE MODE');
  return {
    blocked: async () => {
      await eventually(async () => {
        const waiting = await stack.asOwner(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO outbox%'`,
        );
        expect(waiting).not.toEqual([]);
      });
    },
    release: async () => {
      await runner.commitTransaction();
      await runner.release();
    },
  };
}

/** Lets the mail server and the hooks respond to nothing until `release`. */
function holdReceivers(): { busy: () => Promise<void>; release: () => void } {
  let release = () => undefined as void;
  mails.accepts = new Promise((resolve) => (release = resolve));
  const [mailsBefore, hooksBefore] = [mails.received.length, hooks.received.length];
  hooks.answer = (response) => void mails.accepts.then(() => response.end());
  return {
    busy: () =>
      eventually(() => {
        expect(mails.received.length).toBeGreaterThan(mailsBefore);
        expect(hooks.received.length).toBeGreaterThan(hooksBefore);
      }),
    release,
  };
}

/** Starts a worker and kills it with -9 while it does something. */
async function killAWorker(moment: (typeof MOMENTS)[number]): Promise<void> {
  const notices = moment === 'notices' ? await holdNotices() : null;
  const receivers = moment === 'sends' ? holdReceivers() : null;
  const worker = new WorkerProcess(stack.config);
  try {
    await notices?.blocked();
    await receivers?.busy();
    if (!notices && !receivers) {
      await worker.waitForLog(/Ready for jobs/);
      await pause(random() * UP_TO_MS);
    }
  } finally {
    await worker.kill();
    await notices?.release();
    receivers?.release();
  }
}

/** Ids of messages on the wire, each as often as it was received. */
function received(): string[] {
  return [
    ...mails.received.map(({ messageId }) => /<alert-(\d+)@/.exec(messageId)?.[1] ?? messageId),
    ...hooks.received.map(({ headers }) => String(headers['webhook-id']).replace(/^alert-/, '')),
  ];
}

/** Ids of what a worker had begun to send when it was killed, and had not written down. */
async function listInFlight(): Promise<string[]> {
  const rows = await stack.dataSource.query<{ id: string }[]>(
    `SELECT id::text FROM alert_message WHERE state = 'pending' AND begun_at IS NOT NULL AND delivery_id IS NULL
     UNION ALL SELECT event_id::text FROM webhook_delivery WHERE state = 'pending' AND due_at > created_at`,
  );
  return rows.map(({ id }) => id);
}

async function countUnsent(): Promise<number> {
  const [row] = await stack.dataSource.query<{ unsent: number }[]>(
    `SELECT (SELECT count(*) FROM alert_message WHERE state = 'pending')::int
       + (SELECT count(*) FROM webhook_delivery WHERE state = 'pending')::int AS unsent`,
  );
  return row!.unsent;
}

function countOf(values: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

it(`tells everything once through ${KILLS} times kill -9 of the worker`, async () => {
  const days = new Set([new Date().toISOString().slice(0, 10)]);
  const accounts: string[] = [];
  const inFlight: string[] = [];
  await fillInstallation();
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (let index = 0; index < ACCOUNTS_A_ROUND; index += 1) accounts.push(await openAccount());
    await killAWorker(MOMENTS[kill % MOMENTS.length]!);
    inFlight.push(...(await listInFlight()));
  }
  const last = new WorkerProcess(stack.config);
  const startedAt = Date.now();
  const name = (kind: string, account: string | null) => `${kind} ${account ?? 'installation'}`;
  const expected = [
    ...accounts.flatMap((account) => ABOUT_ACCOUNTS.map((kind) => name(kind, account))),
    ...ABOUT_INSTALLATION.map((kind) => name(kind, null)),
  ];
  try {
    await eventually(
      async () => {
        const rows = await stack.dataSource.query<{ kind: AlertKind; account: string | null }[]>(
          'SELECT kind, account_id AS account FROM alert',
        );
        const noticed = new Set(rows.map(({ kind, account }) => name(kind, account)));
        expect([expected.filter((alert) => !noticed.has(alert)), await countUnsent()]).toEqual([[], 0]);
      },
      { withinMs: DRAIN_MS, everyMs: 500 },
    );
  } finally {
    await last.kill();
  }
  days.add(new Date().toISOString().slice(0, 10));

  const noticed = await stack.dataSource.query<{ kind: AlertKind; account: string | null; times: number }[]>(
    'SELECT kind, account_id AS account, count(*)::int AS times FROM alert GROUP BY 1, 2',
  );
  expect(noticed.map(({ kind, account }) => name(kind, account)).sort()).toEqual(expected.sort());
  expect(noticed.filter(({ kind, times }) => times > (DAILY.includes(kind) ? days.size : 1))).toEqual([]);

  const unlike = await stack.dataSource.query<object[]>(
    `SELECT a.kind, a.account_id, r.id, count(m.id)::int AS messages, array_agg(m.state) AS states
     FROM alert a CROSS JOIN LATERAL (
       SELECT id FROM contact c WHERE c.account_id IS NOT DISTINCT FROM a.account_id
       UNION ALL SELECT id FROM webhook_endpoint e WHERE e.account_id = a.account_id AND e.disabled_at IS NULL) r
     LEFT JOIN (alert_message m JOIN alert_message_alert ma ON ma.message_id = m.id) ON ma.alert_id = a.id AND m.recipient_id = r.id
     GROUP BY a.id, r.id HAVING count(m.id) <> 1 OR bool_or(m.state <> 'delivered')`,
  );
  expect(unlike).toEqual([]);

  const stored = await stack.dataSource.query<{ id: string }[]>(
    `SELECT id::text FROM alert_message WHERE delivery_id IS NULL UNION ALL SELECT event_id::text FROM webhook_delivery`,
  );
  const onTheWire = countOf(received());
  expect([...onTheWire.keys()].sort()).toEqual(stored.map(({ id }) => id).sort());
  const atKills = countOf(inFlight);
  const repeated = [...onTheWire].filter(([, times]) => times > 1);
  const duplicates = repeated.reduce((sum, [, times]) => sum + times - 1, 0);
  process.stdout.write(
    `alerts through ${KILLS} kills: ${noticed.length} noticed of ${ABOUT_ACCOUNTS.length + ABOUT_INSTALLATION.length} kinds, ` +
      `${stored.length} messages on three channels, none lost, ${received().length} received, ${duplicates} of them again ` +
      `(${inFlight.length} were in flight at a kill); the last one ${((Date.now() - startedAt) / 1_000).toFixed(0)} s after the last start\n`,
  );
  expect(duplicates).toBeLessThanOrEqual(inFlight.length);
  // Beside other suites, a worker may also lose the lock of a job that it has in hand.
  const tooOften = repeated.filter(
    ([id, times]) => FAULT_OPTIONS.isLong && times - 1 > (atKills.get(id) ?? 0),
  );
  expect(tooOften).toEqual([]);
});
