import type { Problem } from '../../apps/api/src/http/problem-json';
import type {
  DeadLettersResponse,
  OverviewResponse,
  QueueResponse,
  ThroughputResponse,
  WorkerResponse,
} from '../../apps/api/src/queues/staff-queue.dto';
import type { QueueTimesResponse } from '../../apps/api/src/queues/staff-queue-times.dto';
import type { WaitingAccountsResponse } from '../../apps/api/src/queues/staff-waiting-account.dto';
import type { TimerResponse } from '../../apps/api/src/timers/staff-timer.dto';
import { EventReader } from '../support/event-reader';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';
import { storeDeadLetter as storeFailed, storeVoice, waitForReview } from '../support/stored-voices';
import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import { once } from 'node:events';
import { connect } from 'node:net';
import { VOICE_REVIEW_QUEUE } from '../../libs/queue/jobs';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

let stack: Stack;
let ops: StaffClient;
let support: StaffClient;
let manager: StaffClient;

const reason = 'A test';
const QUEUE = `/admin/queues/${VOICE_REVIEW_QUEUE}`;
const problem = (response: StaffResponse) => response.body as unknown as Problem;
const overview = async () => (await ops.get('/admin/queues')).body as unknown as OverviewResponse;
const reviewQueue = async () => (await overview()).queues.find(({ name }) => name === VOICE_REVIEW_QUEUE);
const letters = async (query = '') =>
  (await ops.get(`/admin/dead-letters?${query}`)).body as unknown as DeadLettersResponse;

beforeAll(async () => {
  stack = await Stack.start();
  ops = await StaffClient.signedIn(stack, 'ops');
  support = await StaffClient.signedIn(stack, 'support');
  manager = await StaffClient.signedIn(stack, 'account_manager');
});

afterAll(async () => {
  await stack.stop();
});

async function eventsOf(targetType: string): Promise<Record<string, unknown>[]> {
  return stack.dataSource.query(
    'SELECT action, target_id, after, reason FROM audit_event WHERE target_type = $1 ORDER BY id',
    [targetType],
  );
}

/** A voice whose review failed after its last attempt, because its audio cannot be read. */
async function storeDeadLetter(accountId?: string): Promise<{ id: string; cure: () => Promise<void> }> {
  const id = await storeVoice(stack, { enqueue: false, ...(accountId && { accountId }) });
  const hide = (from: string, to: string) =>
    stack.dataSource.query(
      `UPDATE audio_object SET digest = $2 || substr(digest, length($1) + 1) WHERE digest LIKE $1 || '%'
         AND digest = $1 || (SELECT audio_digest FROM voice_sample WHERE voice_id = $3)`,
      [from, to, id],
    );
  await hide('', 'hidden-');
  await stack.dataSource.query(
    `INSERT INTO outbox (job, voice_id, payload) VALUES ('review-voice', $1, jsonb_build_object('voiceId', $1::text, 'generation', 1, 'requestId', 'test'))`,
    [id],
  );
  const queue = stack.api.get<Queue>(getQueueToken(VOICE_REVIEW_QUEUE), { strict: false });
  await eventually(
    async () => {
      // Instead of waiting out the back-off.
      await queue.promoteJobs();
      await waitForReview(stack, id, 'stalled', 100);
    },
    { everyMs: 200 },
  );
  return { id, cure: async () => void (await hide('hidden-', '')) };
}

describe('200', () => {
  it('the queue, the relay and the workers at a glance', async () => {
    await waitForReview(stack, await storeVoice(stack), 'completed');
    await eventually(async () => {
      const { items } = (await support.get('/admin/queues/workers')).body as unknown as {
        items: WorkerResponse[];
      };
      expect(items).toMatchObject([{ health: 'healthy', concurrency: 2 }]);
    });
    expect(await overview()).toMatchObject({
      backend: __QUEUE_BACKEND__,
      queues: expect.arrayContaining([
        expect.objectContaining({
          name: VOICE_REVIEW_QUEUE,
          jobs: ['review-voice'],
          reachable: true,
          paused: false,
        }),
      ]),
      relay: { messages: 0, failing: 0, last_error: null },
    });
    expect((await overview()).failing_webhooks).toEqual({ endpoints: 0, since: null, accounts: [] });
    const owner = await stack.openAccount();
    await stack.dataSource.query(
      `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint, failing_since)
       VALUES (gen_random_uuid(), $1, 'x', 'https://example.com', '{quota.reached}', '', '', now())`,
      [owner],
    );
    expect((await overview()).failing_webhooks).toMatchObject({ endpoints: 1, accounts: [{ id: owner }] });
    await stack.dataSource.query('DELETE FROM webhook_endpoint WHERE account_id = $1', [owner]);
    const flow = (await ops.get('/admin/queues/throughput?minutes=5')).body as unknown as ThroughputResponse;
    expect(flow.step_minutes).toBe(1);
    expect(flow.items).toHaveLength(5);
    expect(flow.items.reduce((sum, { completed }) => sum + completed, 0)).toBeGreaterThanOrEqual(1);
  });

  it('how long reviews wait and take, and when what waits is done', async () => {
    await waitForReview(stack, await storeVoice(stack), 'completed');
    const of = async (query: string) =>
      (await support.get(`/admin/queues/times?${query}`)).body as unknown as QueueTimesResponse;
    const hour = await of('work=reviews&minutes=60');
    expect(hour.waiting.count).toBeGreaterThanOrEqual(1);
    for (const times of [hour.waiting, hour.work]) {
      const counted = times.histogram.reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe(times.count);
      expect(times.p50_secs).toBeGreaterThan(0);
      expect(times.most_secs).toBeGreaterThanOrEqual(times.p99_secs!);
    }
    expect(hour.items.reduce((sum, { ended }) => sum + ended, 0)).toBe(hour.work.count);
    expect(hour.marks).toMatchObject([{ new_release: false }]);
    expect(hour.forecast).toMatchObject({ waiting: 0, drains_in_secs: 0, workers_for_five_minutes: 0 });
    await eventually(async () => {
      const { forecast } = await of('work=reviews&minutes=60');
      expect(forecast.utilisation).toBeGreaterThan(0);
    });
    const none = await of('work=webhooks&minutes=43200');
    expect(none).toMatchObject({ step_minutes: 720, waiting: { count: 0, p95_secs: null } });
    await stack.dataSource.query(
      `WITH endpoint AS (
         INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint)
         VALUES (gen_random_uuid(), $1, 'timed', 'https://example.com', '{}', '', '') RETURNING id),
       delivery AS (
         INSERT INTO webhook_delivery (endpoint_id, event_id, event_type, body, state, created_at)
         SELECT id, gen_random_uuid(), 'voice.review', '{}', 'delivered', now() - interval '10 s' FROM endpoint RETURNING id)
       INSERT INTO webhook_attempt (delivery_id, at, ms)
       SELECT id, now() - make_interval(secs => ago), ms FROM delivery, (VALUES (8, 500), (5, 250)) AS a (ago, ms)`,
      [await stack.openAccount()],
    );
    const month = await of('work=webhooks&minutes=43200');
    // The second attempt has waited because it was meant to.
    expect(month.waiting).toMatchObject({ count: 1, p50_secs: 1.5 });
    expect(month.waiting.histogram.filter(({ count }) => count > 0)).toEqual([{ up_to_secs: 2, count: 1 }]);
    expect(month.work).toMatchObject({ count: 2, p50_secs: 0.375, most_secs: 0.5 });
    const other = await support.get('/admin/queues/times?minutes=61');
    expect(other.status).toBe(422);
  });

  it('a job for later, such as the next attempt of a webhook, is scheduled and not late', async () => {
    const insert = (job: string, availableAt: string) =>
      stack.dataSource.query<{ id: string }[]>(
        `INSERT INTO outbox (job, payload, available_at, created_at, lease_until)
         VALUES ($1, '{}', ${availableAt}, now() - interval '2 hours', now() + interval '1 hour') RETURNING id`,
        [job],
      );
    await insert('deliver-webhook', `now() + interval '1 hour'`);
    expect((await overview()).relay).toMatchObject({ messages: 0, oldest_secs: 0, scheduled: 1 });
    await insert('deliver-webhook', `now() - interval '5 minutes'`);
    const { messages, oldest_secs, scheduled } = (await overview()).relay;
    expect([messages, Math.round(oldest_secs / 60), scheduled]).toEqual([1, 5, 1]);
    await stack.dataSource.query(`DELETE FROM outbox WHERE payload = '{}'`);
  });

  it('a job that a queue refuses makes the process say that the queue is behind', async () => {
    const queueOf = async () => (await stack.request('GET', '/readyz')).body;
    expect(await queueOf()).toMatchObject({ queue: 'ok' });
    await stack.dataSource.query(
      `INSERT INTO outbox (job, payload, last_error, available_at, due_at, lease_until)
       VALUES ('deliver-webhook', '{}', 'OOM', now() + interval '8 s', now() - interval '20 s', now() + interval '1 hour')`,
    );
    expect(await queueOf()).toMatchObject({ status: 'ready', queue: 'behind' });
    await stack.dataSource.query(`DELETE FROM outbox WHERE payload = '{}'`);
  });

  it('a paused queue starts no job until it is resumed, and says so', async () => {
    const held = await ops.post(`${QUEUE}/pause`, { reason });
    expect(held).toMatchObject({ status: 200, body: { paused: true } });
    const id = await storeVoice(stack);
    await eventually(async () => {
      const queue = await reviewQueue();
      expect(queue).toMatchObject({ paused: true, counts: { waiting: 1, active: 0 } });
      expect(queue!.oldest_waiting_secs).toBeGreaterThanOrEqual(0);
    });
    const again = await ops.post(`${QUEUE}/pause`, { reason });
    expect([again.status, problem(again).code]).toEqual([409, 'status_unchanged']);
    const released = (await ops.post(`${QUEUE}/resume`, { reason })).body as unknown as QueueResponse;
    expect(released.paused).toBe(false);
    await waitForReview(stack, id, 'completed');
    expect(await eventsOf('queue')).toMatchObject([
      { action: 'queue.paused', target_id: VOICE_REVIEW_QUEUE, after: { paused: true }, reason },
      { action: 'queue.resumed', after: { paused: false } },
    ]);
  });

  it('a voice that its account deletes waits no more', async () => {
    const accountId = await stack.openAccount();
    const { secret } = await stack.issueKey({ accountId });
    await ops.post(`${QUEUE}/pause`, { reason });
    const id = await storeVoice(stack, { accountId });
    await eventually(async () => expect(await reviewQueue()).toMatchObject({ counts: { waiting: 1 } }));
    await stack.request('DELETE', `/v1/voices/${id}`, { secret });
    await eventually(async () => expect(await reviewQueue()).toMatchObject({ counts: { waiting: 0 } }));
    await ops.post(`${QUEUE}/resume`, { reason });
  });

  it('reviews that many wait for come after those that one customer waits for', async () => {
    const account = await stack.openAccount();
    // With a fresh one they are as many as the queue of two slots takes.
    const done = await Promise.all([1, 2].map(() => storeVoice(stack, { accountId: account })));
    for (const id of done) await waitForReview(stack, id, 'completed');
    await ops.post(`${QUEUE}/pause`, { reason });
    const path = `/admin/voices/re-review?account_id=${account}`;
    expect((await support.post(path, { reason, confirm: '2' })).status).toBe(202);
    const fresh = await storeVoice(stack);
    await eventually(async () =>
      expect(await reviewQueue()).toMatchObject({ counts: { waiting: 3, low_priority: 2 } }),
    );
    expect((await overview()).relay).toMatchObject({ messages: 0, waiting_turn: 0 });
    await ops.post(`${QUEUE}/resume`, { reason });
    for (const id of [...done, fresh]) await waitForReview(stack, id, 'completed');
    const order = await stack.dataSource.query<{ voice_id: string }[]>(
      `SELECT voice_id FROM review_event WHERE to_state = 'running' ORDER BY id DESC LIMIT 3`,
    );
    // Two start at a time, and either of them may be noted first; it was requested last.
    expect(order.slice(1).map(({ voice_id }) => voice_id)).toContain(fresh);
  });
});

describe('who waits', () => {
  type Accounts = WaitingAccountsResponse;
  const ACCOUNTS = '/admin/queues/accounts';

  it('is listed with what waits, and staff hold an account and release it', async () => {
    const account = await stack.openAccount();
    const of = ({ items }: Accounts) => items.find((item) => item.account.id === account);
    const hold = await ops.post(`${ACCOUNTS}/${account}/hold`, { kind: 'held', minutes: 60, reason });
    expect(hold.status).toBe(200);
    const id = await storeVoice(stack, { accountId: account });
    const listed = of((await ops.get(ACCOUNTS)).body as unknown as Accounts);
    expect(listed).toMatchObject({
      waiting_turn: 1,
      in_queue: 0,
      running: 0,
      hold: { kind: 'held', reason },
    });
    const behind = await ops.post(`${ACCOUNTS}/${account}/hold`, { kind: 'behind', minutes: 5, reason });
    expect(of(behind.body as unknown as Accounts)?.hold).toMatchObject({ kind: 'behind' });
    await waitForReview(stack, id, 'completed');
    const released = await ops.post(`${ACCOUNTS}/${account}/release`, { reason });
    expect(of(released.body as unknown as Accounts)).toBeUndefined();
    const again = await ops.post(`${ACCOUNTS}/${account}/release`, { reason });
    expect([again.status, problem(again).code]).toEqual([409, 'status_unchanged']);
    const nobody = await ops.post(`${ACCOUNTS}/x/hold`, { kind: 'held', minutes: 60, reason });
    expect([nobody.status, problem(nobody).code]).toEqual([404, 'account_not_found']);
    const events = await stack.dataSource.query<{ action: string; target_id: string }[]>(
      `SELECT action, target_id FROM audit_event WHERE action LIKE 'account.reviews%' ORDER BY id`,
    );
    expect(events.filter(({ target_id }) => target_id === account).map(({ action }) => action)).toEqual([
      'account.reviews_held',
      'account.reviews_moved_behind',
      'account.reviews_released',
    ]);
  });
});

describe('a quiet worker', () => {
  const WORKERS = '/admin/queues/workers';
  const only = ({ body }: StaffResponse) => (body as unknown as { items: WorkerResponse[] }).items[0]!;

  it('takes nothing new until it is resumed, with a reason in the audit log', async () => {
    const { id, name, quiet } = await eventually(async () => {
      const worker = only(await support.get(WORKERS));
      expect(worker).toBeDefined();
      return worker;
    });
    expect(quiet).toBeNull();
    expect((await ops.post(`${WORKERS}/%00/quiet`, { reason })).status).toBe(404);
    const quieted = await ops.post(`${WORKERS}/${id}/quiet`, { reason });
    expect(quieted.status).toBe(200);
    expect(only(quieted).quiet).toMatchObject({ reason });
    const again = await ops.post(`${WORKERS}/${id}/quiet`, { reason });
    expect([again.status, problem(again).code]).toEqual([409, 'status_unchanged']);
    expect((await support.post(`${WORKERS}/${id}/resume`, { reason })).status).toBe(403);
    const resumed = await ops.post(`${WORKERS}/${id}/resume`, { reason });
    expect(only(resumed).quiet).toBeNull();
    const unknown = await ops.post(`${WORKERS}/nobody/quiet`, { reason });
    expect([unknown.status, problem(unknown).code]).toEqual([404, 'worker_not_found']);
    expect(await eventsOf('worker')).toMatchObject([
      { action: 'worker.quieted', target_id: id, after: { name, quiet: true }, reason },
      { action: 'worker.resumed', target_id: id, after: { name, quiet: false }, reason },
    ]);
  });
});

describe('timers', () => {
  const TIMERS = '/admin/timers';
  const list = async () => ((await support.get(TIMERS)).body as unknown as { items: TimerResponse[] }).items;
  const timer = async (name: string) => (await list()).find((each) => each.name === name)!;

  it('are listed with what they did and when they run next, and all run', async () => {
    await waitForReview(stack, await storeVoice(stack), 'completed');
    await eventually(async () => {
      const timers = await list();
      expect(timers.filter(({ state }) => state !== 'on_time')).toEqual([]);
      const { did, ...relay } = timers.find(({ name }) => name === 'outbox-relay')!;
      expect(relay).toMatchObject({ every_secs: 0.25, workers: 1, error: null, pause: null });
      expect(did?.text).toMatch(/^delivered \d+ jobs?$/);
    });
    const { last } = await timer('preview-expiry');
    const nextMs = Date.parse(last!.next_at!) - Date.parse(last!.ended_at!);
    expect(Math.round(nextMs / 1_000)).toBe(600);
  });

  it('one is paused, run by hand and resumed, each with a reason in the audit log', async () => {
    const path = `${TIMERS}/preview-expiry`;
    const before = (await timer('preview-expiry')).last!.began_at;
    const paused = await ops.post(`${path}/pause`, { minutes: 5, reason });
    expect(paused).toMatchObject({ status: 200, body: { state: 'paused', pause: { reason } } });
    expect((await ops.post(`${path}/run`, { reason })).status).toBe(200);
    await eventually(async () => {
      const { last, run_requested, state } = await timer('preview-expiry');
      expect([last!.began_at === before, run_requested, state]).toEqual([false, false, 'paused']);
    });
    const resumed = await ops.post(`${path}/resume`, { reason });
    expect(resumed).toMatchObject({ status: 200, body: { state: 'on_time', pause: null } });
    const again = await ops.post(`${path}/resume`, { reason });
    expect([again.status, problem(again).code]).toEqual([409, 'status_unchanged']);
    expect(await eventsOf('timer')).toMatchObject([
      { action: 'timer.paused', target_id: 'preview-expiry', reason },
      { action: 'timer.run', reason },
      { action: 'timer.resumed', after: { paused_until: null }, reason },
    ]);
  });

  it('some always run and say why, a pause ends within a day, and support only reads', async () => {
    const relay = await ops.post(`${TIMERS}/outbox-relay/pause`, { minutes: 5, reason });
    expect([relay.status, problem(relay).code]).toEqual([409, 'timer_always_runs']);
    expect(problem(relay).detail).toBe(
      "The timer 'outbox-relay' cannot be paused: without it no job reaches any queue; pause a queue instead.",
    );
    const long = await ops.post(`${TIMERS}/preview-expiry/pause`, { minutes: 1_441, reason });
    expect(long.status).toBe(422);
    const unknown = await ops.post(`${TIMERS}/nothing/run`, { reason });
    expect([unknown.status, problem(unknown).code]).toEqual([404, 'timer_not_found']);
    expect((await support.post(`${TIMERS}/preview-expiry/run`, { reason })).status).toBe(403);
    expect((await manager.get(TIMERS)).status).toBe(403);
  });

  it('one that has not run for three times its period is late', async () => {
    await eventually(async () => expect((await timer('spending-watch')).last).not.toBeNull());
    await stack.dataSource.query(
      `UPDATE timer_run SET began_at = now() - interval '4 hours' WHERE name = 'spending-watch'`,
    );
    expect((await timer('spending-watch')).state).toBe('late');
  });
});

describe('a dead letter', () => {
  it('from cause to cure: seen with its cause, tried again by a person, reviewed', async () => {
    const { id, cure } = await storeDeadLetter();
    expect((await overview()).dead_letters).toBeGreaterThanOrEqual(1);
    const found = await letters(`search=${id}`);
    expect(found.items).toMatchObject([
      { voice_id: id, attempts: 5, cause: 'the recording is not in the store' },
    ]);
    expect(found.causes).toMatchObject([{ cause: found.items[0]!.cause, count: 1 }]);
    expect((await letters('cause=no such cause')).total).toBe(0);
    await cure();
    const retried = await ops.post(`/admin/dead-letters/${id}/retry`, { reason: 'The audio is back' });
    expect(retried).toMatchObject({ status: 202, body: { voice_id: id, generation: 2 } });
    await waitForReview(stack, id, 'completed');
    expect((await letters(`search=${id}`)).total).toBe(0);
    const { body } = await support.get(`/admin/voices/${id}`);
    expect((body.attempts as { outcome: string }[]).map(({ outcome }) => outcome)).toEqual([
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'succeeded',
    ]);
    const again = await ops.post(`/admin/dead-letters/${id}/retry`, { reason });
    expect([again.status, problem(again).code]).toEqual([404, 'dead_letter_not_found']);
  });

  it('of one cause is counted with the others of it, whatever their ids, and found by what they share', async () => {
    const account = await stack.openAccount();
    await stack.dataSource.query(
      `INSERT INTO worker_start (worker_id, name, release, at) VALUES (gen_random_uuid(), 'a worker', '1.4.0', now())`,
    );
    const causes = ['audio 3fa9c is not in the store', 'audio 77b01 is not in the store', 'no space left'];
    const began = Date.now();
    for (const cause of causes) await storeFailed(stack, cause, { accountId: account });
    await stack.dataSource.query(
      `INSERT INTO worker_start (worker_id, name, release, at) VALUES (gen_random_uuid(), 'a worker', '1.5.0', now())`,
    );
    const { causes: found } = await letters(`account_id=${account}`);
    expect(found).toMatchObject([
      { cause: 'audio … is not in the store', count: 2, release: '1.4.0' },
      { cause: 'no space left', count: 1, release: '1.4.0' },
    ]);
    const [first, last] = [found[0]!.first_at, found[0]!.last_at].map((at) => Date.parse(at));
    expect(first).toBeGreaterThanOrEqual(began - 1);
    expect(last).toBeGreaterThan(first!);
    expect(found[1]!.first_at).toBe(found[1]!.last_at);
    const filter = encodeURIComponent(found[0]!.cause);
    expect((await letters(`account_id=${account}&cause=${filter}`)).total).toBe(2);
    expect((await letters(`account_id=${account}&cause=${encodeURIComponent('100%')}`)).total).toBe(0);
  });

  it('of one cause is removed with the others of it, and only those, when their count is typed', async () => {
    const account = await stack.openAccount();
    const causes = ['no space left', 'no space left on device', 'no space left'];
    const [first] = await Promise.all(
      causes.map((cause) => storeFailed(stack, cause, { accountId: account })),
    );
    const { causes: found } = await letters(`account_id=${account}`);
    const path = `/admin/dead-letters/remove?account_id=${account}&cause_group=${found[0]!.id}`;
    expect((await ops.get(path)).body).toEqual({ count: 2, confirm: '2' });
    expect((await ops.post(path, { reason, confirm: '3' })).status).toBe(409);
    expect((await support.post(path, { reason, confirm: '2' })).status).toBe(403);
    expect((await ops.get(`${path}x`)).status).toBe(422);
    expect(await ops.post(path, { reason, confirm: '2' })).toMatchObject({ body: { removed: 2 } });
    expect((await letters(`account_id=${account}`)).causes).toMatchObject([
      { cause: 'no space left on device', count: 1 },
    ]);
    const { body } = await support.get(`/admin/voices/${first}`);
    expect(body.status).toBe('cancelled');
    expect((body.timeline as object[]).at(-1)).toMatchObject({ from: 'stalled', to: 'cancelled' });
    const event = (await eventsOf('voices')).at(-1)!;
    expect(event).toMatchObject({ action: 'dead_letters.removed', reason });
    expect((event.after as { voice_ids: string[] }).voice_ids).toHaveLength(2);
  });

  it('does not keep other voices from being reviewed', async () => {
    const [{ id }, ...others] = await Promise.all([
      storeDeadLetter(),
      ...[1, 2, 3].map(async () => storeVoice(stack)),
    ]);
    for (const other of others) await waitForReview(stack, other, 'completed');
    expect((await letters(`search=${id}`)).total).toBe(1);
  });

  it('and many of them at once, when their count is typed', async () => {
    const account = await stack.openAccount();
    const dead = await Promise.all([storeDeadLetter(account), storeDeadLetter(account)]);
    await Promise.all(dead.map(({ cure }) => cure()));
    const path = `/admin/dead-letters/retry?account_id=${account}`;
    expect((await ops.get(path)).body).toEqual({ count: 2, confirm: '2' });
    expect((await ops.post(path, { reason, confirm: '1' })).status).toBe(409);
    const { body } = await ops.post(path, { reason, confirm: '2' });
    expect(body).toMatchObject({ retried: 2 });
    const progress = () => ops.get(`/admin/dead-letters/retry/${body.id as string}/progress`);
    expect((await progress()).body).toMatchObject({ reviews: 2, failed: 0 });
    for (const { id } of dead) await waitForReview(stack, id, 'completed');
    expect((await progress()).body).toEqual({ reviews: 2, pending: 0, failed: 0 });
    const unknown = await ops.get(`/admin/dead-letters/retry/${account}/progress`);
    expect([unknown.status, problem(unknown).code]).toEqual([404, 'retry_not_found']);
    expect((await eventsOf('voices')).at(-1)).toMatchObject({ action: 'dead_letters.retried', reason });
  });
});

describe('events', () => {
  const follow = (client: StaffClient, query = '') =>
    EventReader.open(stack, client, `/admin/queues/events${query}`);

  it('send every watcher what the routes would return, and what has changed since', async () => {
    const readers = [await follow(ops, '?minutes=5'), await follow(support)];
    for (const { headers, latest } of readers) {
      expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      await eventually(() => {
        expect(latest.get('workers')).toMatchObject({ items: [{ health: 'healthy' }] });
        expect((latest.get('overview') as OverviewResponse).queues).toContainEqual(
          expect.objectContaining({ name: VOICE_REVIEW_QUEUE, paused: false }),
        );
      });
    }
    await eventually(() => {
      const throughputs = readers.map(
        ({ latest }) => latest.get('throughput') as ThroughputResponse | undefined,
      );
      expect(throughputs.map((response) => response?.items.length)).toEqual([5, 60]);
    });
    await ops.post(`${QUEUE}/pause`, { reason });
    for (const { latest } of readers) {
      await eventually(() =>
        expect((latest.get('overview') as OverviewResponse).queues).toContainEqual(
          expect.objectContaining({ name: VOICE_REVIEW_QUEUE, paused: true }),
        ),
      );
    }
    await ops.post(`${QUEUE}/resume`, { reason });
    readers.forEach((reader) => reader.leave());
  });

  it('end with the session, and with the right to see the queues', async () => {
    const [leaving, changing] = [
      await StaffClient.signedIn(stack, 'ops'),
      await StaffClient.signedIn(stack, 'ops'),
    ];
    const [ofLeaving, ofChanging, ofOps] = [await follow(leaving), await follow(changing), await follow(ops)];
    await leaving.post('/admin/auth/sign-out');
    await stack.dataSource.query(`UPDATE staff_auth.member SET role = 'account_manager' WHERE id = $1`, [
      changing.person.id,
    ]);
    await Promise.all([ofLeaving.ended, ofChanging.ended]);
    const before = ofOps.count;
    await eventually(() => expect(ofOps.count).toBeGreaterThan(before));
    ofOps.leave();
  });

  it('do not keep the server from stopping, nor does a connection without a request', async () => {
    const other = await Stack.start({ worker: false });
    const reader = await EventReader.open(
      other,
      await StaffClient.signedIn(other, 'ops'),
      '/admin/queues/events',
    );
    const unused = connect(Number(new URL(other.baseUrl).port), '127.0.0.1');
    await once(unused, 'connect');
    const before = Date.now();
    await other.stop();
    await reader.ended;
    // Far from the 30 s that what is under way may take.
    expect(Date.now() - before).toBeLessThan(15_000);
    unused.destroy();
  });
});

describe('single jobs', () => {
  it('are listed by name, as the queue knows them', async () => {
    const id = await storeVoice(stack, { name: 'Seen as a job' });
    await waitForReview(stack, id, 'completed');
    await eventually(async () => {
      const { body } = await ops.get(`${QUEUE}/jobs?state=completed`);
      expect(body.items).toContainEqual(
        expect.objectContaining({ job_id: `review-${id}-1`, subject_id: id, name: 'Seen as a job' }),
      );
    });
    for (const state of ['active', 'waiting', 'delayed', 'failed'])
      expect((await ops.get(`${QUEUE}/jobs?state=${state}`)).status).toBe(200);
    expect((await ops.get(`${QUEUE}/jobs?state=lost`)).status).toBe(422);
  });

  it('have a history: attempts, their errors, and who did what they waited for', async () => {
    const account = await stack.openAccount();
    const id = await storeFailed(stack, 'no space left', { accountId: account });
    await ops.post(`/admin/queues/accounts/${account}/hold`, { kind: 'behind', minutes: 60, reason });
    await ops.post(`/admin/dead-letters/${id}/retry`, { reason: 'The disk is larger' });
    const { body } = await ops.get(`${QUEUE}/jobs/${id}`);
    expect(body).toMatchObject({ id, account: { id: account }, next_at: null });
    const steps = body.steps as { at: string }[];
    expect(steps).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: 'review 1: stalled', by: 'a worker', cause: 'no space left' }),
        expect.objectContaining({ what: 'Account: reviews moved behind', cause: reason }),
        expect.objectContaining({
          what: 'review 2: queued',
          cause: 'requested by staff: The disk is larger',
        }),
      ]),
    );
    expect(steps).toEqual(steps.toSorted((a, b) => b.at.localeCompare(a.at)));
    await ops.post(`/admin/queues/accounts/${account}/release`, { reason });
  });

  it.each(['voice-review/jobs/none', 'webhooks/jobs/0', 'email/jobs/7', 'none/jobs', 'board/'])(
    'there is no %s',
    async (path) => expect((await ops.get(`/admin/queues/${path}`)).status).toBe(404),
  );

  it('are for those who may read the queues', async () => {
    const responses = [manager, new StaffClient(stack.baseUrl), support].map((each) =>
      each.get(`${QUEUE}/jobs`),
    );
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([403, 401, 200]);
  });
});

describe('403', () => {
  it.each<[string, () => StaffClient, string]>([
    ['support may not hold a queue', () => support, `${QUEUE}/pause`],
    ['support may not retry', () => support, '/admin/dead-letters/AAAAAAAAAAAAAAAAAAAA/retry'],
    ['support may not retry many', () => support, '/admin/dead-letters/retry'],
    ['an account manager may not hold a queue', () => manager, `${QUEUE}/pause`],
  ])('%s', async (_, client, path) => {
    const response = await client().post(path, { reason, confirm: '0' });
    expect([response.status, problem(response).code]).toEqual([403, 'staff_permission_missing']);
  });

  it('an account manager may not even look', async () => {
    const paths = ['/admin/queues', '/admin/queues/workers', '/admin/queues/events', '/admin/dead-letters'];
    for (const path of paths) expect((await manager.get(path)).status).toBe(403);
  });
});

describe('404', () => {
  it('a queue that there is not', async () => {
    const response = await ops.post('/admin/queues/none/pause', { reason });
    expect([response.status, problem(response).code]).toEqual([404, 'queue_not_found']);
    expect(problem(response).detail).toContain(VOICE_REVIEW_QUEUE);
  });
});

describe('422', () => {
  it.each(['0', '1441', '-5', 'all', '1.5', '99999999999'])('a throughput of %s minutes', async (minutes) => {
    const response = await ops.get(`/admin/queues/throughput?minutes=${minutes}`);
    expect(response.status).toBe(422);
    expect(problem(response).errors?.[0]?.accepted).toBe('a whole number from 1 to 1440');
  });

  it('a pause without a reason', async () => {
    expect((await ops.post(`${QUEUE}/pause`, {})).status).toBe(422);
  });
});
