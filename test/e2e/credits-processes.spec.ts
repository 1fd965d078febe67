import { randomInt } from 'node:crypto';
import { KeyChanges } from '../../libs/auth/invalidation/key-changes';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { CREDITS, issueServiceCredential, storm } from '../support/ledger-storm';
import { Stack } from '../support/stack';

const HOUR_MS = 3_600_000;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

describe('two processes', () => {
  let processes: [ApiProcess, ApiProcess];

  beforeEach(async () => {
    processes = await Promise.all([ApiProcess.start(stack.config), ApiProcess.start(stack.config)]);
  });

  afterEach(async () => {
    await Promise.all(processes.map((each) => each.stop()));
  });

  it('charge exactly what there is', async () => {
    const { acknowledged, used, reconciliation } = await storm(stack, processes, Infinity);
    expect([acknowledged.length, used, reconciliation.breaches]).toEqual([CREDITS, CREDITS, []]);
  });

  it('never charge more, and lose no charge they have acknowledged, when one of them is killed', async () => {
    const killAfter = randomInt(1, CREDITS);
    const report = await storm(stack, processes, killAfter);
    const { acknowledged, inLedger, afterRetries, used, reconciliation } = report;
    expect({ killAfter, lost: acknowledged.filter((id) => !inLedger.has(id)) }).toEqual({
      killAfter,
      lost: [],
    });
    expect({ killAfter, total: afterRetries.size, used }).toEqual({
      killAfter,
      total: CREDITS,
      used: CREDITS,
    });
    expect(reconciliation.breaches).toEqual([]);
  });
});

it.each([
  ['fast', HOUR_MS],
  ['slow', -HOUR_MS],
])('a process whose clock is an hour %s goes by the time of the database', async (_, shiftClockMs) => {
  const shifted = await ApiProcess.start(stack.config, { shiftClockMs });
  const service = await issueServiceCredential(stack.api);
  const key = await stack.issueKey({ creditLimit: 10 });
  const endPeriodIn = (interval: string) =>
    stack.dataSource.query(
      `UPDATE credit_balance SET period_anchor = now() - interval '1 month' + $2::interval,
         period_start = now() - interval '1 month' + $2::interval, period_end = now() + $2::interval
       WHERE account_id = $1`,
      [key.accountId, interval],
    );
  const charge = async (cost: number, more: object = {}) => {
    const response = await fetch(`${shifted.url}/introspect`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service}`, 'content-type': 'application/json' },
      body: JSON.stringify({ token: key.secret, cost, ...more }),
    });
    return (await response.json()) as Record<string, unknown>;
  };
  try {
    // Its clock is off: what goes by the process's own time, the expiry of a key, says so.
    const expiry = shiftClockMs > 0 ? '30 minutes' : '-30 minutes';
    const expireIn = (interval: string | null) =>
      stack.dataSource.query('UPDATE api_key SET expires_at = now() + $2::interval WHERE id = $1', [
        key.keyId,
        interval,
      ]);
    await expireIn(expiry);
    expect(await charge(0)).toMatchObject({ active: shiftClockMs < 0 });
    await expireIn(null);
    await stack.dataSource.transaction((em) => stack.api.get(KeyChanges).announce({ keyId: key.keyId }, em));
    await eventually(async () => expect(await charge(0)).toMatchObject({ active: true }));

    await endPeriodIn('30 minutes');
    expect(await charge(10)).toMatchObject({ active: true });
    expect(await charge(1)).toMatchObject({ active: false, gate: 'credits' });
    await endPeriodIn('0 seconds');
    const held = await charge(10, { hold_seconds: 600, request_id: 'held' });
    expect(held).toMatchObject({ active: true });
    expect(Date.parse(held.held_until as string) - Date.now()).toBeLessThan(700_000);
    expect(await charge(1)).toMatchObject({ active: false, gate: 'credits' });
    await stack.dataSource.query(`UPDATE credit_hold SET deadline = now() WHERE request_id = 'service/held'`);
    expect(await charge(10)).toMatchObject({ active: true });
  } finally {
    await shifted.stop();
  }
});
