import { randomUUID } from 'node:crypto';
import { UsageSinks } from '../../apps/worker/src/housekeeping/usage-sinks';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { AuditedChanges } from '../../libs/administration/audit/audited-changes';
import { UsageSinksService } from '../../libs/administration/installation/usage-sinks.service';
import { loadConfig, type AppConfig } from '../../libs/config/app-config';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { UsageCursorRepository } from '../../libs/database/credits/usage-cursor.repository';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import {
  LagoReceiver,
  OpenMeterReceiver,
  StripeReceiver,
  type UsageReceiver,
} from '../support/usage-receivers';

const stack = Stack.ofFile({ worker: false });
let cursors: UsageCursorRepository;
let running: UsageSinks[] = [];
let receivers: UsageReceiver[] = [];

beforeAll(() => {
  cursors = stack.api.get(UsageCursorRepository, { strict: false });
});

afterEach(async () => {
  receivers.forEach((receiver) => receiver.stop());
  await Promise.all(running.map((sinks) => sinks.beforeApplicationShutdown()));
  [running, receivers] = [[], []];
});

async function receiving<T extends UsageReceiver>(receiver: T): Promise<T> {
  receivers.push(await receiver.start());
  return receiver;
}

let sinkCount = 0;

/** A sink with its own name, and so its own cursor. */
const sinkTo = (receiver: UsageReceiver, more: object) => ({
  name: `sink-${++sinkCount}`,
  format: 'cloudevents',
  url: receiver.url,
  event: 'credits',
  ...more,
});

const configWith = (...sinks: object[]) => loadConfig({ USAGE_SINKS: JSON.stringify(sinks) });

/** What a worker does, from now on. */
async function startSinks(config: AppConfig): Promise<UsageSinks> {
  const sinks = new UsageSinks(config, cursors);
  running.push(sinks);
  await Promise.all(config.usageSinks.map(({ name }) => cursors.get(name)));
  return sinks;
}

async function customer(externalId: string | null, tags: string[] = []): Promise<IssuedKey> {
  const key = await stack.issueKey();
  await stack.asOwner('UPDATE account SET external_id = $2, tags = $3 WHERE id = $1', [
    key.accountId,
    externalId,
    tags,
  ]);
  return key;
}

const ledger = () => stack.api.get(CreditLedger, { strict: false });

async function charge({ keyId, accountId }: IssuedKey, cost: number): Promise<string> {
  const requestId = randomUUID();
  const { charged } = await ledger().charge({ keyId, accountId, cost, operation: 'speech', requestId });
  expect(charged).toBe(true);
  return requestId;
}

/** Sends until a check passes. */
const sending = (sinks: UsageSinks, check: () => void) =>
  eventually(async () => {
    await sinks.send();
    check();
  });

it('brings charges and refunds of an installation, an account and a tag to three billing systems, and their sums agree', async () => {
  const names = ['cus_a', 'cus_b'].map((name) => `${name}_${randomUUID()}`);
  const [open, lago, stripe] = await Promise.all([
    receiving(new OpenMeterReceiver()),
    receiving(new LagoReceiver(['credits'])),
    receiving(new StripeReceiver('credits', new Set(names))),
  ]);
  const [first, second] = [await customer(names[0]!, ['metered']), await customer(names[1]!)];
  await charge(first, 1_000);
  const sinks = await startSinks(
    configWith(
      sinkTo(open, {}),
      sinkTo(lago, { format: 'lago', token: 'lago-key', account: second.accountId }),
      sinkTo(stripe, { format: 'stripe', token: 'sk_test', tag: 'metered' }),
    ),
  );
  for (let index = 0; index < 12; index += 1) await charge(index % 2 ? first : second, 10 + index);
  const refunded = await charge(first, 50);
  await ledger().refund(first.accountId, refunded);
  await charge(second, 0);
  await sending(sinks, () =>
    expect([open.counted.size, lago.counted.size, stripe.counted.size]).toEqual([15, 7, 8]),
  );
  expect([open.total, lago.total, stripe.total]).toEqual([186, 90, 96]);
  expect([...stripe.counted.values()].map(({ credits }) => credits)).toEqual(
    expect.arrayContaining([50, -50]),
  );
  expect(new Set([...lago.counted.values()].map((each) => each.customer))).toEqual(new Set([names[1]]));
  expect(open.duplicates + lago.duplicates + stripe.duplicates).toBe(0);
  // What was charged before the sinks were there is not usage of theirs.
  const [{ used }] = await stack.dataSource.query<[{ used: string }]>(
    `SELECT sum(amount) AS used FROM credit_ledger WHERE account_id = ANY ($1) AND amount <> 1000`,
    [[first.accountId, second.accountId]],
  );
  expect(open.total).toBe(Number(used));
});

it('sends nothing behind a line that is not committed yet, and misses none', async () => {
  const open = await receiving(new OpenMeterReceiver());
  const key = await customer(null);
  await charge(key, 1);
  const config = configWith(sinkTo(open, { account: key.accountId }));
  const sinks = await startSinks(config);
  const late = stack.dataSource.createQueryRunner();
  await late.startTransaction();
  try {
    await late.query(
      `INSERT INTO ledger_line (period_start, amount, request, account, key, operation, kind, form)
       SELECT period_start, 7, gen_random_uuid(), account, key, operation, kind, form FROM ledger_line
       WHERE account = (SELECT number FROM credit_balance WHERE subject_id = $1)`,
      [key.accountId],
    );
    await charge(key, 2);
    for (let round = 0; round < 5; round += 1) await sinks.send();
    expect(open.total).toBe(0);
    await late.commitTransaction();
  } finally {
    await late.release();
  }
  await sending(sinks, () => expect(open.counted.size).toBe(2));
  expect(open.total).toBe(9);
});

it('waits for a receiver that is away, says why, and does not hold up the others', async () => {
  const [away, hanging, fine] = await Promise.all([1, 2, 3].map(() => receiving(new OpenMeterReceiver())));
  away!.failure = 503;
  hanging!.hangs = true;
  const key = await customer(null);
  const config = configWith(
    ...[away!, hanging!, fine!].map((each) => sinkTo(each, { account: key.accountId })),
  );
  const sinks = await startSinks(config);
  await charge(key, 5);
  await sending(sinks, () => expect([fine!.total, hanging!.requests]).toEqual([5, 1]));
  const { name } = config.usageSinks[0]!;
  await eventually(async () =>
    expect(await cursors.get(name)).toMatchObject({
      failures: expect.any(Number),
      failingSince: expect.any(Date),
      lastError: expect.stringContaining('503'),
    }),
  );
  const service = new UsageSinksService(config, cursors, stack.api.get(AuditedChanges, { strict: false }));
  expect((await service.list())[0]).toMatchObject({ waitingSince: expect.any(Date) });
  away!.failure = null;
  await sending(sinks, () => expect(away!.total).toBe(5));
  expect(await cursors.get(name)).toMatchObject({ failures: 0, failingSince: null, lastError: null });
});

it('stops at a line that is refused, by its name, and continues with it', async () => {
  const known = `cus_${randomUUID()}`;
  const customers = new Set([known]);
  const stripe = await receiving(new StripeReceiver('credits', customers));
  const [first, second] = [await customer(known, ['refused']), await customer(null, ['refused'])];
  const config = configWith(sinkTo(stripe, { format: 'stripe', token: 'sk_test', tag: 'refused' }));
  const sinks = await startSinks(config);
  await charge(first, 1);
  await charge(second, 2);
  await charge(first, 4);
  const { name } = config.usageSinks[0]!;
  // What was sent beside it has arrived, and is not sent again: Stripe would count it twice on another day.
  await sending(sinks, () => expect(stripe.total).toBe(5));
  await eventually(async () =>
    expect((await cursors.get(name)).lastError).toContain(`account ${second.accountId} has no external_id`),
  );
  await stack.asOwner('UPDATE account SET external_id = $2 WHERE id = $1', [second.accountId, `${known}x`]);
  await eventually(async () => {
    await sinks.send();
    expect((await cursors.get(name)).lastError).toContain('No such customer');
  });
  customers.add(`${known}x`);
  await sending(sinks, () => expect(stripe.total).toBe(7));
  expect(stripe.duplicates).toBe(0);
});

it('sends the lines since a time again, audited, and the receivers count none twice', async () => {
  const known = `cus_${randomUUID()}`;
  const [lago, stripe] = await Promise.all([
    receiving(new LagoReceiver(['credits'])),
    receiving(new StripeReceiver('credits', new Set([known]))),
  ]);
  const key = await customer(known);
  const config = configWith(
    sinkTo(lago, { format: 'lago', token: 'lago-key', account: key.accountId }),
    sinkTo(stripe, { format: 'stripe', token: 'sk_test', account: key.accountId }),
  );
  const sinks = await startSinks(config);
  for (let index = 0; index < 5; index += 1) await charge(key, 1);
  await sending(sinks, () => expect([lago.total, stripe.total]).toEqual([5, 5]));
  const service = new UsageSinksService(config, cursors, stack.api.get(AuditedChanges, { strict: false }));
  const from = new Date(Date.now() - 60_000);
  const again = (name: string, more: object = {}) =>
    service.replay(byCommandLine(), { name, from, reason: 'A test', confirmed: false, ...more });
  for (const { name } of config.usageSinks) await again(name);
  await charge(key, 1);
  await sending(sinks, () => expect([lago.total, stripe.total]).toEqual([6, 6]));
  expect([lago.duplicates, stripe.duplicates]).toEqual([5, 5]);
  const events = await stack.dataSource.query<object[]>(
    `SELECT reason FROM audit_event WHERE action = 'usage_sink.replayed'`,
  );
  expect(events).toEqual([{ reason: 'A test' }, { reason: 'A test' }]);
  await expect(again('other')).rejects.toMatchObject({ code: 'usage_sink_not_found' });
  const old = { from: new Date('2026-01-01') };
  await expect(again(config.usageSinks[1]!.name, old)).rejects.toMatchObject({
    code: 'usage_replay_not_recognised',
  });
});

it('two workers send no line twice', async () => {
  const open = await receiving(new OpenMeterReceiver());
  const key = await customer(null);
  const config = configWith(sinkTo(open, { account: key.accountId }));
  const workers = [await startSinks(config), await startSinks(config)];
  await Promise.all(Array.from({ length: 60 }, () => charge(key, 1)));
  await eventually(async () => {
    await Promise.all(workers.map((sinks) => sinks.send()));
    expect(open.counted.size).toBe(60);
  });
  expect([open.total, open.duplicates]).toEqual([60, 0]);
});

it('staff see sinks and send usage again through the API, and so does a program', async () => {
  const open = await receiving(new OpenMeterReceiver());
  const sink = sinkTo(open, { name: 'billing', token: 'a-token-of-billing' });
  const own = await Stack.start({ worker: false, env: { USAGE_SINKS: JSON.stringify([sink]) } });
  try {
    const [ops, admin, support] = await Promise.all(
      (['ops', 'admin', 'support'] as const).map((role) => StaffClient.signedIn(own, role)),
    );
    const path = '/admin/usage-sinks';
    const replay = `${path}/billing/replay`;
    const list = async () => (await ops!.get(path)).body as unknown as Record<string, unknown>[];
    expect(await list()).toMatchObject([
      { name: 'billing', delivered: 0, delivered_at: null, lag_secs: null },
    ]);
    const sinks = new UsageSinks(own.config, own.api.get(UsageCursorRepository, { strict: false }));
    running.push(sinks);
    const { keyId, accountId } = await own.issueKey();
    const cost = { keyId, accountId, cost: 5, operation: 'speech', requestId: randomUUID() } as const;
    await own.api.get(CreditLedger, { strict: false }).charge(cost);
    expect((await list())[0]).toMatchObject({ lag_secs: expect.any(Number) });
    await sending(sinks, () => expect(open.total).toBe(5));
    await eventually(async () =>
      expect((await list())[0]).toMatchObject({
        delivered: 1,
        delivered_at: expect.any(String),
        lag_secs: null,
      }),
    );
    const from = new Date(Date.now() - 60_000).toISOString();
    const again = { from, reason: 'The bill was lost' };
    expect((await support!.post(replay, again)).status).toBe(403);
    expect((await ops!.post(replay, again)).status).toBe(200);
    await sending(sinks, () => expect(open.duplicates).toBe(1));
    const events = await own.dataSource.query<object[]>(
      `SELECT actor_name AS actor, target_id AS sink, reason FROM audit_event WHERE action = 'usage_sink.replayed'`,
    );
    expect(events).toEqual([{ actor: ops!.person.email, sink: 'billing', reason: 'The bill was lost' }]);
    expect((await ops!.post(`${path}/other/replay`, again)).body.code).toBe('usage_sink_not_found');
    expect((await ops!.post(replay, { ...again, from: 'yesterday' })).status).toBe(422);
    const { body } = await admin!.post('/admin/management-credentials', {
      name: 'billing job',
      purpose: 'Looks after billing',
      permissions: ['usage_sinks.read', 'usage_sinks.replay'],
      accounts: 'all',
      allowed_ips: ['127.0.0.1'],
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      reason: 'A test',
    });
    const program = new StaffClient(own.baseUrl, { authorization: `Bearer ${String(body.secret)}` });
    const seen = await program.get(path);
    expect([seen.status, seen.text.includes('a-token-of-billing')]).toEqual([200, false]);
    expect((await program.post(replay, again)).status).toBe(200);
  } finally {
    await own.stop();
  }
});
