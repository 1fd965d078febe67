import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { migrateDatabase } from '../../libs/database/migrate';
import { eventually } from '../support/eventually';
import { OwnPostgres } from '../support/own-postgres';
import { Stack, type IssuedKey } from '../support/stack';

const AT_ONCE = 10;
const RUNNING_MS = 2_000;
/** A primary that crashes stays away. */
const AWAY_MS = 600_000;

interface Failover {
  acknowledged: number;
  /** Of these, those that the new primary does not have. */
  lost: number;
  /** From the crash to the first charge on the new primary. */
  awayMs: number;
  p50Ms: number;
}

/** How a standby follows, and what is lost when it takes over. `stalled`: it receives nothing in the second before the crash. */
async function failOver({
  synchronous,
  stalled,
}: {
  synchronous: boolean;
  stalled: boolean;
}): Promise<Failover> {
  const primary = await OwnPostgres.start(() => undefined, { restartMs: AWAY_MS });
  await migrateDatabase(primary.ownerUrl, primary.url);
  const standby = await primary.startReplica(() => undefined);
  const url = new URL(primary.url);
  url.searchParams.set('hosts', [primary.url, standby.url].map((each) => new URL(each).host).join());
  const stack = await Stack.start({ worker: false, env: { DATABASE_URL: url.href } });
  try {
    if (synchronous) await followSynchronously(primary);
    const key = await stack.issueKey();
    const load = startLoad(stack, key);
    await sleep(RUNNING_MS);
    if (stalled) {
      await stopReceiving(standby);
      await sleep(1_000);
    }
    const crashedAtMs = performance.now();
    primary.crash();
    await standby.query('SELECT pg_promote()');
    await eventually(() => charge(stack, key, randomUUID()));
    const awayMs = performance.now() - crashedAtMs;
    const { acknowledged, tookMs } = await load.stop(crashedAtMs);
    const rows = await standby.query<{ id: string }>('SELECT request_id AS id FROM credit_ledger');
    const found = new Set(rows.map(({ id }) => id));
    const lost = acknowledged.filter((id) => !found.has(id)).length;
    return { acknowledged: acknowledged.length, lost, awayMs, p50Ms: tookMs[tookMs.length >> 1]! };
  } finally {
    await stack.stop();
    await standby.stop();
    await primary.stop();
  }
}

async function followSynchronously(primary: OwnPostgres): Promise<void> {
  await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await primary.query('SELECT pg_reload_conf()');
  await eventually(async () =>
    expect(await primary.query('SELECT sync_state FROM pg_stat_replication')).toEqual([
      { sync_state: 'sync' },
    ]),
  );
}

/** As a network that leads to the primary no more. */
async function stopReceiving(standby: OwnPostgres): Promise<void> {
  await standby.query(`ALTER SYSTEM SET primary_conninfo = ''`);
  await standby.query('SELECT pg_reload_conf()');
  await eventually(async () => expect(await standby.query('SELECT FROM pg_stat_wal_receiver')).toEqual([]));
}

async function charge(stack: Stack, { keyId, accountId }: IssuedKey, requestId: string): Promise<void> {
  const request = { keyId, accountId, cost: 1, operation: 'speech', requestId };
  const { charged } = await stack.api.get(CreditLedger).charge(request);
  expect(charged).toBe(true);
}

/** Charges one after the other, ten at once. */
function startLoad(stack: Stack, key: IssuedKey) {
  const state = { running: true };
  const done: { id: string; endedAtMs: number; tookMs: number }[] = [];
  const client = async () => {
    while (state.running) {
      const id = randomUUID();
      const startedAtMs = performance.now();
      const isCharged = await charge(stack, key, id).then(
        () => true,
        () => false,
      );
      const endedAtMs = performance.now();
      if (isCharged) done.push({ id, endedAtMs, tookMs: endedAtMs - startedAtMs });
      else await sleep(50);
    }
  };
  const clients = Array.from({ length: AT_ONCE }, client);
  const stop = async (untilMs: number) => {
    state.running = false;
    await Promise.all(clients);
    const before = done.filter(({ endedAtMs }) => endedAtMs <= untilMs);
    return {
      acknowledged: before.map(({ id }) => id),
      tookMs: before.map(({ tookMs }) => tookMs).sort((a, b) => a - b),
    };
  };
  return { stop };
}

const report = (name: string, { acknowledged, lost, awayMs, p50Ms }: Failover) =>
  process.stdout.write(
    `${name}: ${lost} of ${acknowledged} acknowledged charges lost, ${(awayMs / 1_000).toFixed(1)} s to the next charge, p50 ${p50Ms.toFixed(1)} ms\n`,
  );

describe('a standby takes over from a primary that has crashed', () => {
  it('synchronous: with every charge that was acknowledged', async () => {
    const found = await failOver({ synchronous: true, stalled: false });
    report('synchronous', found);
    expect(found.lost).toBe(0);
  });

  it('synchronous, and stalled in the last second: no charge is acknowledged that it has not', async () => {
    const found = await failOver({ synchronous: true, stalled: true });
    report('synchronous, stalled for 1 s', found);
    expect(found.lost).toBe(0);
  });

  it('asynchronous: at most with a loss of the moment', async () => {
    const found = await failOver({ synchronous: false, stalled: false });
    report('asynchronous', found);
    expect(found.lost).toBeLessThan(found.acknowledged / 10);
  });

  it('asynchronous, and stalled in the last second: without that second', async () => {
    const found = await failOver({ synchronous: false, stalled: true });
    report('asynchronous, stalled for 1 s', found);
    expect(found.lost).toBeGreaterThan(0);
  });
});
