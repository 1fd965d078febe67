import { randomUUID } from 'node:crypto';
import { OutboxRelay } from '../../../apps/worker/src/outbox/outbox-relay';
import { OutboxMessage } from '@app/database/queue/outbox-message.entity';
import type { ReviewVoicePayload } from '../../../libs/queue/jobs';
import { eventually } from '../../support/eventually';
import { recording, ReviewBench } from '../../support/review-bench';

const SENT = 100;
/** What the queue holds while no worker has reported. */
const ROOM = 2;

describe('reviews of several accounts', () => {
  let bench: ReviewBench;
  beforeAll(async () => {
    bench = await ReviewBench.start();
  });
  afterEach(async () => {
    await bench.stopWorkers();
    await bench.dataSource.manager.deleteAll(OutboxMessage);
    await bench.dataSource.query('DELETE FROM queued_review');
    await bench.dataSource.query(`UPDATE voice SET review_state = 'cancelled'`);
    await bench.queue.obliterate({ force: true });
  });
  afterAll(() => bench.stop());

  const relay = () => new OutboxRelay(bench.outbox, bench.turns, bench.jobs);

  /** Voices of an account, in one statement for each table: rejected at once when a worker takes them. */
  async function send(count: number, accountId: string, isBulk = false): Promise<void> {
    const { voiceId } = await bench.insertVoice({ accountId, bytes: Buffer.from('not a recording') });
    if (isBulk)
      await bench.dataSource.query(`UPDATE outbox SET is_bulk = true WHERE voice_id = $1`, [voiceId]);
    if (count === 1) return;
    await bench.dataSource.query(
      `WITH copies AS (
         INSERT INTO voice (id, account_id, name, description, labels, engine, spec, language, content_digest, request_id)
         SELECT left(md5(random()::text || n), 20), account_id, name, description, labels, engine, spec, language, content_digest,
           request_id FROM voice, generate_series(2, $2) AS n WHERE id = $1 RETURNING id),
       samples AS (
         INSERT INTO voice_sample (id, voice_id, position, file_name, media_type, size_bytes, audio_digest, duration_secs)
         SELECT left(md5(c.id), 20), c.id, 0, file_name, media_type, size_bytes, audio_digest, duration_secs
         FROM voice_sample, copies c WHERE voice_id = $1),
       events AS (
         INSERT INTO review_event (voice_id, generation, to_state, cause, actor)
         SELECT id, 1, 'queued', 'created', 'api' FROM copies)
       INSERT INTO outbox (job, payload, voice_id, account_id, is_bulk)
       SELECT job, payload || jsonb_build_object('voiceId', c.id), c.id, account_id, is_bulk
       FROM outbox, copies c WHERE voice_id = $1`,
      [voiceId, count],
    );
  }

  /** The accounts of the jobs that wait in the queue, in the order in which workers get them. */
  async function line(): Promise<string[]> {
    const jobs = await bench.queue.getJobs(['waiting', 'prioritized'], 0, -1, true);
    const rows = await bench.dataSource.query<{ id: string; account_id: string }[]>(
      'SELECT id, account_id FROM voice WHERE id = ANY ($1)',
      [jobs.map(({ data }) => (data as ReviewVoicePayload).voiceId)],
    );
    const accounts = new Map(rows.map(({ id, account_id }) => [id, account_id]));
    return jobs.map(({ data }) => accounts.get((data as ReviewVoicePayload).voiceId)!);
  }

  async function untilDone(accountId: string): Promise<void> {
    await eventually(async () => {
      const open = `SELECT FROM voice WHERE account_id = $1 AND review_state <> 'rejected'`;
      expect(await bench.dataSource.query<unknown[]>(open, [accountId])).toHaveLength(0);
    });
  }

  it('wait in the outbox, where the account with the fewest in the queue is next', async () => {
    const [large, ...small] = Array.from({ length: 6 }, () => randomUUID());
    await send(SENT, large!);
    const delivering = relay();
    await delivering.relay();
    await delivering.relay();
    expect(await line()).toEqual(Array(ROOM).fill(large));
    for (const account of small) await send(2, account);
    await delivering.relay();
    const queued = await line();
    expect(queued.slice(0, ROOM)).toEqual(Array(ROOM).fill(large));
    expect(queued.slice(ROOM).toSorted()).toEqual(small.toSorted());
  });

  it('take turns by the weight of their tier', async () => {
    const [plain, heavy] = [randomUUID(), randomUUID()];
    const tiers = { [plain]: 'free', [heavy]: 'enterprise' };
    for (const [id, tier] of Object.entries(tiers)) {
      await bench.dataSource.query(
        `INSERT INTO account (id, name, tier, voice_limit, concurrency_limit) VALUES ($1, 'an account', $2, 1, 1)`,
        [id, tier],
      );
      await send(10, id);
    }
    await relay().relay();
    const queued = await line();
    expect(queued.filter((id) => id === heavy)).toHaveLength(4);
    expect(queued.filter((id) => id === plain)).toHaveLength(1);
  });

  it('come before those with low priority, which take no place of theirs', async () => {
    const [bulk, live] = [randomUUID(), randomUUID()];
    await send(SENT, bulk, true);
    const delivering = relay();
    await delivering.relay();
    await send(SENT, live);
    await delivering.relay();
    expect(await line()).toEqual([...Array<string>(ROOM).fill(live), ...Array<string>(ROOM).fill(bulk)]);
  });

  it('do not wait behind many of another one, which continue when they are done', async () => {
    const large = randomUUID();
    await send(SENT, large);
    await bench.startWorker();
    const small = Array.from({ length: 5 }, () => randomUUID());
    for (const account of small) await send(1, account);
    for (const account of small) await untilDone(account);
    const [row] = await bench.dataSource.query<{ most: number }[]>(
      `SELECT max((SELECT count(*) FROM review_event l JOIN voice v ON v.id = l.voice_id
                   WHERE v.account_id = $1 AND l.to_state = 'running' AND l.id BETWEEN q.id AND r.id))::int AS most
       FROM voice o JOIN review_event q ON q.voice_id = o.id AND q.to_state = 'queued'
         JOIN review_event r ON r.voice_id = o.id AND r.to_state = 'running'
       WHERE o.account_id = ANY ($2)`,
      [large, small],
    );
    expect(row!.most).toBeLessThan(20);
    await untilDone(large);
  });

  it('wait for as long as staff hold their account, and behind all others where staff say so', async () => {
    const [held, behind, other] = [randomUUID(), randomUUID(), randomUUID()];
    for (const account of [held, behind]) await send(3, account);
    await send(1, other);
    const hold = (account: string, kind: string, ends: string) =>
      bench.dataSource.query(
        `INSERT INTO review_hold (account_id, kind, reason, set_by, ends_at) VALUES ($1, $2, 'a test', 'ops', ${ends})`,
        [account, kind],
      );
    await hold(held, 'held', `now() + interval '1 hour'`);
    await hold(behind, 'behind', `now() + interval '1 hour'`);
    const delivering = relay();
    await delivering.relay();
    expect(await line()).toEqual([other, behind]);
    expect(await bench.flow.getOutboxLag()).toMatchObject({ oldestSecs: 0 });
    await bench.dataSource.query('UPDATE review_hold SET ends_at = now() WHERE account_id = $1', [held]);
    await delivering.relay();
    expect(await line()).toEqual([other, held, behind]);
  });

  it('take several turns when there is much to hear, which is one attempt', async () => {
    const { voiceId } = await bench.insertVoice({ takes: 3, secs: 100 });
    await bench.startWorker();
    expect(await bench.waitForState(voiceId, 'completed')).toMatchObject({ reviewAttempts: 1 });
    const turn = ['running', 'retry_wait'];
    expect(await bench.history(voiceId)).toEqual(['queued', ...turn, ...turn, 'running', 'completed']);
    const [review] = await bench.reviews(voiceId);
    expect(review!.samples).toHaveLength(3);
  });

  it('hear a recording that a voice has several times once, in one turn', async () => {
    const { voiceId } = await bench.insertVoice({ takes: 3, secs: 100, bytes: recording() });
    await bench.startWorker();
    await bench.waitForState(voiceId, 'completed');
    expect(await bench.history(voiceId)).toEqual(['queued', 'running', 'completed']);
  });

  it('leave one slot to others when they are long, and take it when there is only one', async () => {
    const [attacker, victim] = [randomUUID(), randomUUID()];
    await bench.dataSource.query(
      `INSERT INTO worker_process (id, name, concurrency) VALUES (gen_random_uuid(), 'two slots', 2)`,
    );
    for (let voice = 0; voice < 4; voice += 1)
      await bench.insertVoice({ accountId: attacker, takes: 2, secs: 590 });
    await relay().relay();
    expect(await line()).toEqual([attacker]);
    await bench.insertVoice({ accountId: victim });
    await relay().relay();
    expect(await line()).toEqual([attacker, victim]);
    await bench.dataSource.query('DELETE FROM worker_process');
  });

  it('are delivered when the queue has lost those before them', async () => {
    const account = randomUUID();
    await send(20, account);
    await relay().relay();
    await bench.queue.obliterate({ force: true });
    await bench.dataSource.query(`UPDATE queued_review SET queued_at = now() - interval '6 seconds'`);
    await relay().relay();
    expect(await line()).toEqual(Array(ROOM).fill(account));
  });
});
