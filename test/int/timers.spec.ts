import type { INestApplicationContext } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { TIMED_TASKS } from '../../apps/worker/src/poller';
import { WorkerIdentity } from '../../apps/worker/src/worker-identity';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { TimerRepository } from '@app/database/timers/timer.repository';
import { TIMER_NAMES } from '../../libs/domain/common/timers';
import { eventually } from '../support/eventually';
import { ReviewBench } from '../support/review-bench';

Object.assign(globalThis, { __QUEUE_BACKEND__: 'postgres' });

/** A collector of the audit log, that can be away. */
const collector = createServer((socket) => socket.resume());
let port: number;
let bench: ReviewBench;
let workers: INestApplicationContext[];

beforeAll(async () => {
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  ({ port } = collector.address() as AddressInfo);
  collector.close();
  bench = await ReviewBench.start({ AUDIT_STREAM_URL: `tcp://127.0.0.1:${port}` });
  workers = [await bench.startWorker(), await bench.startWorker()];
});

afterAll(async () => {
  await bench.stop();
  collector.close();
});

interface Row {
  runs: string;
  did: object | null;
  error: string | null;
  noted_at: Date;
  pause_ms: number;
}

const rowsOf = (name: string) =>
  bench.dataSource.query<Row[]>(
    `SELECT *, extract(epoch FROM next_at - ended_at)::float8 * 1000 AS pause_ms FROM timer_run WHERE name = $1
     ORDER BY worker_id`,
    [name],
  );
const runsOf = async (name: string) => (await rowsOf(name)).reduce((sum, { runs }) => sum + Number(runs), 0);

/** Waits for the next report of each worker. */
async function nextReports(): Promise<Row[]> {
  const before = await rowsOf('outbox-relay');
  return eventually(async () => {
    const rows = await rowsOf('outbox-relay');
    rows.forEach(({ noted_at }, index) => expect(noted_at).not.toEqual(before[index]!.noted_at));
    return rows;
  });
}

async function order(name: string, set: string): Promise<void> {
  await bench.dataSource.query('INSERT INTO timer_order (name) VALUES ($1) ON CONFLICT DO NOTHING', [name]);
  await bench.dataSource.query(`UPDATE timer_order SET ${set} WHERE name = $1`, [name]);
}

it('every timer of the table is in the timetable, once', () => {
  expect(TIMED_TASKS.map(({ timer }) => timer).toSorted()).toEqual(TIMER_NAMES.toSorted());
});

it('each worker reports every timer, and when it runs next', async () => {
  await eventually(async () => {
    const rows = await bench.dataSource.query<{ worker_id: string; names: string[] }[]>(
      'SELECT worker_id, array_agg(name ORDER BY name) AS names FROM timer_run GROUP BY 1',
    );
    const ids = workers.map((worker) => worker.get(WorkerIdentity).id);
    expect(rows.map(({ worker_id }) => worker_id).toSorted()).toEqual(ids.toSorted());
    for (const { names } of rows) expect(names).toEqual(TIMER_NAMES.toSorted());
    for (const { pause_ms } of await rowsOf('preview-expiry')) expect(Math.round(pause_ms)).toBe(600_000);
  });
});

it('however often timers run, a worker writes at most every five seconds', async () => {
  const [before] = await nextReports();
  const [after] = await nextReports();
  expect(after!.noted_at.getTime() - before!.noted_at.getTime()).toBeGreaterThan(4_500);
  expect(Number(after!.runs) - Number(before!.runs)).toBeGreaterThan(5);
});

it('a run by hand is made by one of the workers, says what it did, and comes also while the timer is paused', async () => {
  await order('preview-expiry', `paused_until = now() + interval '1 hour'`);
  await bench.dataSource.query(
    `INSERT INTO audio_object (digest, media_type, bytes, size_bytes, created_at)
     SELECT 'unreferenced ' || n, 'audio/mpeg', '', 0, now() - interval '1 day' FROM generate_series(1, 3) n`,
  );
  const before = await runsOf('preview-expiry');
  await order('preview-expiry', 'run_requested_at = now()');
  await eventually(async () => expect(await runsOf('preview-expiry')).toBe(before + 1));
  const did = (await rowsOf('preview-expiry')).map((row) => row.did).filter((done) => done !== null);
  expect(did).toEqual([{ recording: 3 }]);
  expect(await bench.dataSource.query('SELECT run_requested_at FROM timer_order')).toEqual([
    { run_requested_at: null },
  ]);
});

it('a paused timer runs in no worker, and at once when its pause ends', async () => {
  await order('quota-watch', `paused_until = now() + interval '1 hour'`);
  const paused = await eventually(async () => {
    const before = await runsOf('quota-watch');
    await nextReports();
    expect(await runsOf('quota-watch')).toBe(before);
    return before;
  });
  await order('quota-watch', `paused_until = now()`);
  await eventually(async () => expect(await runsOf('quota-watch')).toBeGreaterThan(paused));
});

it('a timer that fails says why at once, and no longer when it works again', async () => {
  const note = { action: 'account.edited' as const, target: { type: 'account', id: 'x' } };
  const auditLog = workers[0]!.get(AuditLog, { strict: false });
  await auditLog.recordAlone({ ...note, actor: bySystem('cli') });
  const timers = workers[0]!.get(TimerRepository, { strict: false });
  const facts = async () => (await timers.listFacts()).find(({ name }) => name === 'audit-stream');
  await eventually(async () =>
    expect(await facts()).toMatchObject({ workers: 2, error: expect.stringContaining('ECONNREFUSED') }),
  );
  await once(collector.listen(port, '127.0.0.1'), 'listening');
  await eventually(async () => expect(await facts()).toMatchObject({ error: null, did: { event: 1 } }));
});
