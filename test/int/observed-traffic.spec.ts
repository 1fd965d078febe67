import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../libs/database/data-source';
import {
  ObservedTrafficRepository,
  type Refusal,
  type TrafficCount,
} from '../../libs/database/traffic/observed-traffic.repository';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

const HOUR_MS = 3_600_000;

let database: TestDatabase;
let dataSources: DataSource[];
let traffic: ObservedTrafficRepository;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSources = await Promise.all([1, 2].map(() => createDataSource(database.url, 'test').initialize()));
  traffic = new ObservedTrafficRepository(dataSources[0]!);
});

afterAll(async () => {
  for (const dataSource of dataSources) await dataSource.destroy();
  await database.drop();
});

const hoursAgo = (hours: number) => new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS);

function count(keyId: string, overrides: Partial<TrafficCount> = {}): TrafficCount {
  const hour = overrides.hour ?? hoursAgo(0);
  return {
    keyId,
    hour,
    route: 'GET /v1/models',
    address: '203.0.113.1',
    outcome: 'served',
    requests: 1,
    firstAt: hour,
    lastAt: hour,
    ...overrides,
  };
}

function refusal(keyId: string, at: Date): Refusal {
  const requestId = randomUUID();
  return {
    keyId,
    at,
    route: 'GET /v1/models',
    address: '203.0.113.1',
    gate: 'ip',
    reason: 'x',
    status: 403,
    requestId,
    cost: null,
  };
}

const rowsOf = async (keyId: string) =>
  dataSources[0]!.query<{ address: string; requests: string }[]>(
    'SELECT address, requests FROM observed_traffic WHERE key_id = $1 ORDER BY requests DESC, address',
    [keyId],
  );

it('counts of several processes add up, however they meet', async () => {
  const keyIds = Array.from({ length: 300 }, () => randomUUID());
  const repositories = dataSources.map((dataSource) => new ObservedTrafficRepository(dataSource));
  const batch = keyIds.map((keyId) => count(keyId));
  for (let round = 0; round < 4; round++) {
    // As many at once as there are connections.
    await Promise.all(
      [0, 1, 2, 3, 4].map((n) => repositories[n % 2]!.addCounts(n < 2 ? batch : batch.toReversed())),
    );
  }
  const [stored] = await dataSources[0]!.query<{ keys: number }[]>(
    'SELECT count(*)::int AS keys FROM observed_traffic WHERE key_id = ANY ($1) AND requests = 20',
    [keyIds],
  );
  expect(stored).toEqual({ keys: 300 });
});

it('has when each gate has refused a key last, however several processes meet', async () => {
  const keyIds = Array.from({ length: 100 }, () => randomUUID());
  const repositories = dataSources.map((dataSource) => new ObservedTrafficRepository(dataSource));
  const at = (minute: number) => new Date(hoursAgo(0).getTime() + minute * 60_000);
  const batchOf = (minute: number) =>
    keyIds.flatMap((keyId) =>
      ['ip', 'served', 'credits'].map((outcome) => count(keyId, { outcome, lastAt: at(minute) })),
    );
  await Promise.all(
    [3, 1, 9, 4, 7, 2].map((minute) => repositories[minute % 2]!.addCounts(batchOf(minute).toReversed())),
  );
  const stored = await dataSources[0]!.query<{ gate: string; at: Date; keys: number }[]>(
    'SELECT gate, at, count(*)::int AS keys FROM key_last_refusal WHERE key_id = ANY ($1) GROUP BY 1, 2 ORDER BY 1',
    [keyIds],
  );
  expect(stored).toEqual(['credits', 'ip'].map((gate) => ({ gate, at: at(9), keys: 100 })));
});

it('the first and the last time are those of all requests', async () => {
  const keyId = randomUUID();
  const [early, middle, late] = [0, 1, 2].map(
    (minutes) => new Date(hoursAgo(0).getTime() + minutes * 60_000),
  );
  await traffic.addCounts([count(keyId, { firstAt: middle!, lastAt: middle! })]);
  await traffic.addCounts([count(keyId, { firstAt: early!, lastAt: late!, requests: 2 })]);
  expect(await traffic.listAddresses(keyId, hoursAgo(1))).toEqual([
    { address: '203.0.113.1', outcome: 'served', requests: 3, firstAt: early, lastAt: late },
  ]);
});

it('is read by address, by route and by hour, since a time', async () => {
  const keyId = randomUUID();
  await traffic.addCounts([
    count(keyId, { hour: hoursAgo(3), requests: 5 }),
    count(keyId, { hour: hoursAgo(1), requests: 7 }),
    count(keyId, { requests: 2, address: '2001:db8::1' }),
    count(keyId, { requests: 4, route: 'GET /v1/voices', outcome: 'scope' }),
  ]);
  const since = hoursAgo(2);
  expect(await traffic.listAddresses(keyId, since)).toMatchObject([
    { address: '203.0.113.1', outcome: 'served', requests: 7 },
    { address: '203.0.113.1', outcome: 'scope', requests: 4 },
    { address: '2001:db8::1', requests: 2 },
  ]);
  expect(await traffic.listRoutes(keyId, since)).toMatchObject([
    { route: 'GET /v1/models', requests: 9 },
    { route: 'GET /v1/voices', outcome: 'scope', requests: 4 },
  ]);
  expect(await traffic.listHours(keyId, since)).toMatchObject([
    { hour: hoursAgo(1), requests: 7 },
    { hour: hoursAgo(0), outcome: 'scope', requests: 4 },
    { hour: hoursAgo(0), outcome: 'served', requests: 2 },
  ]);
});

it('of many addresses the most used are kept one by one, and no request is lost', async () => {
  const keyId = randomUUID();
  const counts = Array.from({ length: 300 }, (_, i) =>
    count(keyId, { address: `10.0.0.${i}`, requests: i + 1 }),
  );
  await traffic.addCounts(counts);
  for (let fold = 0; fold < 2; fold++) {
    await traffic.foldRareAddresses(keyId, hoursAgo(0), 10);
    const rows = await rowsOf(keyId);
    expect(rows).toHaveLength(11);
    expect(rows[0]).toEqual({ address: 'other', requests: String((290 * 291) / 2) });
    expect(rows.at(-1)).toEqual({ address: '10.0.0.290', requests: '291' });
  }
});

it('the newest refusals of a key are kept, whatever other keys are refused', async () => {
  const [loud, quiet] = [randomUUID(), randomUUID()];
  const at = (n: number) => new Date(Date.now() + n);
  await traffic.addRefusals([refusal(quiet, at(0))], 50);
  for (let batch = 0; batch < 6; batch++) {
    await traffic.addRefusals(
      Array.from({ length: 50 }, (_, i) => refusal(loud, at(batch * 50 + i))),
      50,
    );
  }
  const stored = await traffic.listRefusals(loud, 1_000);
  expect(stored.length).toBeLessThanOrEqual(100);
  expect(stored.slice(0, 50).every((row, i) => i === 0 || row.at <= stored[i - 1]!.at)).toBe(true);
  expect(await traffic.listRefusals(quiet, 10)).toHaveLength(1);
});

const letIn = (keyId: string, at: Date, requestId: string = randomUUID()) => ({
  keyId,
  at,
  route: 'POST /v1/text-to-voice',
  address: '203.0.113.1',
  status: 200,
  durationMs: 635,
  requestId,
});

const requestsOf = (keyId: string) =>
  dataSources[0]!.query<{ request_id: string }[]>(
    'SELECT request_id, status, duration_ms FROM key_request WHERE key_id = $1 ORDER BY at',
    [keyId],
  );

it('of requests that were let in, at least the newest of each key are kept, and hardly more', async () => {
  const [loud, quiet] = [randomUUID(), randomUUID()];
  await traffic.addRequests([letIn(quiet, new Date(), 'only')], 50);
  for (let batch = 0; batch < 4; batch++) {
    const requests = Array.from({ length: 50 }, (_, i) => {
      const number = batch * 50 + i;
      return letIn(loud, new Date(Date.now() + number), `r${number}`);
    });
    await traffic.addRequests(requests, 50);
  }
  const stored = (await requestsOf(loud)).map(({ request_id }) => request_id);
  expect(stored.length).toBeLessThanOrEqual(100);
  expect(stored.slice(-50)).toEqual(Array.from({ length: 50 }, (_, i) => `r${150 + i}`));
  expect(await requestsOf(quiet)).toEqual([{ request_id: 'only', status: 200, duration_ms: 635 }]);
});

it('what is too old is deleted in batches, by one process at a time', async () => {
  const keyId = randomUUID();
  const old = Array.from({ length: 25 }, (_, i) => count(keyId, { hour: hoursAgo(31 * 24 + i) }));
  await traffic.addCounts([...old, count(keyId)]);
  await traffic.addCounts([count(keyId, { outcome: 'ip', hour: hoursAgo(31 * 24) })]);
  await traffic.addRefusals([refusal(keyId, hoursAgo(31 * 24)), refusal(keyId, hoursAgo(1))], 50);
  await traffic.addRequests([letIn(keyId, hoursAgo(31 * 24)), letIn(keyId, hoursAgo(1))], 50);
  expect(await traffic.deleteOld(30, 10)).toBe(13);
  const second = new ObservedTrafficRepository(dataSources[1]!);
  await dataSources[0]!.transaction(async (em) => {
    await em.query('SELECT pg_advisory_xact_lock(7301961)');
    expect(await second.deleteOld(30, 100)).toBe(0);
  });
  expect(await second.deleteOld(30, 100)).toBe(16);
  expect(await rowsOf(keyId)).toHaveLength(1);
  expect(await traffic.listRefusals(keyId, 10)).toHaveLength(1);
  expect(await requestsOf(keyId)).toHaveLength(1);
});
