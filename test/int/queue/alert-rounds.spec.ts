import { AlertWatch } from '../../../apps/worker/src/alerts/alert-watch';
import { CheckWatch } from '../../../apps/worker/src/alerts/check-watch';
import { SpendingWatch } from '../../../apps/worker/src/alerts/spending-watch';
import { ReviewBench } from '../../support/review-bench';

/** One round of what the worker looks for. */

let bench: ReviewBench;
beforeAll(async () => {
  bench = await ReviewBench.start();
  await bench.dataSource.query(
    `INSERT INTO contact (id, name, channel, email, categories)
     VALUES (gen_random_uuid(), 'Ops', 'email', 'ops@example.com', '{credits,keys,security,operations}')`,
  );
});
afterAll(() => bench.stop());

const kindsOf = async () =>
  bench.dataSource.query<{ kind: string; accounts: number }[]>(
    `SELECT r.kind, count(DISTINCT a.account_id)::int AS accounts FROM alert a JOIN alert_rule r ON r.id = a.rule_id
     GROUP BY r.kind ORDER BY r.kind`,
  );

it('a kind of alert that cannot be looked at does not silence the others', async () => {
  const worker = await bench.startWorker();
  const { voiceId } = await bench.insertVoice({ enqueue: false });
  await bench.dataSource.query(`UPDATE voice SET review_state = 'stalled' WHERE id = $1`, [voiceId]);
  // No address: the look for new networks cannot read it.
  await bench.dataSource.query(
    `INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
     VALUES (gen_random_uuid(), date_trunc('hour', now()), 'GET /', 'no address', 'served', 1, now(), now())`,
  );
  await expect(worker.get(AlertWatch).check()).rejects.toThrow('no address');
  expect(await kindsOf()).toEqual([{ kind: 'dead_letters', accounts: 0 }]);
  await bench.dataSource.query('DELETE FROM observed_traffic');
  await worker.get(AlertWatch).check();
});

it('a queue that stays paused raises one alert a day, as the checks of the operation say it', async () => {
  const worker = await bench.startWorker();
  await bench.dataSource.query(
    `INSERT INTO queue_order (queue, is_paused, ordered_at, ordered_by, reason)
     VALUES ('voice-review', true, now(), 'Ana', 'The scanner is down')`,
  );
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const told = async () =>
    bench.dataSource.query<{ subject: string; detail: string }[]>(
      `SELECT a.subject, a.data ->> 'detail' AS detail FROM alert a JOIN alert_rule r ON r.id = a.rule_id
       WHERE r.kind = 'check_failed' AND a.subject = 'pauses'`,
    );
  const watch = worker.get(CheckWatch);
  await watch.check(at(0));
  await watch.check(at(9));
  expect(await told()).toEqual([]);
  await watch.check(at(10));
  await watch.check(at(11));
  expect(await told()).toEqual([
    { subject: 'pauses', detail: expect.stringContaining('by Ana (The scanner is down)') },
  ]);
});

it('the spending of every account is looked at, however many there are', async () => {
  const worker = await bench.startWorker();
  await bench.dataSource.query(`
    INSERT INTO account (id, name, tier, voice_limit, concurrency_limit, created_at)
      SELECT gen_random_uuid(), 'ACME', 'pro', 1, 1, now() - interval '200 days' FROM generate_series(1, 120);
    INSERT INTO credit_balance (subject_id, subject, account_id, credit_limit, used, period_anchor, period_start, period_end)
      SELECT id, 'account', id, 10000, 8000, p, p, p + interval '1 month'
      FROM account, LATERAL (SELECT now() - interval '10 days' AS p) q;
    SELECT write_ledger_line(id, NULL, NULL, now() - interval '10 days', 'charge', CASE WHEN hour < 24 THEN 2000 ELSE 100 END,
        'test', id::text || hour, NULL, now() - hour * interval '1 hour' - interval '1 minute')
      FROM account, unnest(ARRAY[1, 30, 60, 90, 120, 150]) hour`);
  await worker.get(SpendingWatch).check();
  expect(await kindsOf()).toEqual(
    expect.arrayContaining([
      { kind: 'credits_forecast', accounts: 120 },
      { kind: 'spend_spike', accounts: 120 },
    ]),
  );
});
