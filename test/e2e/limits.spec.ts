import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { createApi } from '../../apps/api/src/main';
import { ExplainService } from '../../apps/api/src/explain/explain.service';
import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import type { AppConfig } from '../../libs/config/app-config';
import type { LimitStore } from '../../libs/limits/limit-store';
import { LIMIT_STORE } from '../../libs/limits/limit-store.provider';
import { RequestLimiter } from '../../libs/limits/request-limiter';
import { eventually } from '../support/eventually';
import { designBody } from '../support/samples';
import { isShort } from '../support/short';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { TcpProxy } from '../support/tcp-proxy';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const onRedis = __QUEUE_BACKEND__ === 'redis' ? it : it.skip;
/** What both stores decide alike, since they are given the same numbers. */
const onPostgres = __QUEUE_BACKEND__ === 'postgres' ? it : it.skip;
const atLength = isShort() ? it.skip : it;

let stack: Stack;
let other: NestFastifyApplication;
let otherUrl: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  other = await createApi(stack.config);
  await other.listen(0, '127.0.0.1');
  otherUrl = await other.getUrl();
});

afterAll(async () => {
  await other.close();
  await stack.stop();
});

const models = ({ secret }: IssuedKey) => stack.request('GET', '/v1/models', { secret });
const design = ({ secret }: IssuedKey, body: object = designBody()) =>
  stack.request('POST', '/v1/text-to-voice/design', { secret, body });

/** Sent again while it cannot be counted: nothing is counted then. */
async function statusOn(url: string, path: string, key: IssuedKey, body?: object): Promise<number> {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'xi-api-key': key.secret, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  await response.text();
  return response.status === 503 ? statusOn(url, path, key, body) : response.status;
}

const allOn = (url: string, key: IssuedKey, requests: number) =>
  Promise.all(Array.from({ length: requests }, () => statusOn(url, '/v1/models', key)));

const count = <T>(all: T[], requested: T) => all.filter((each) => each === requested).length;

async function limitConcurrency({ accountId }: IssuedKey, limit: number): Promise<void> {
  await stack.dataSource.query('UPDATE account SET concurrency_limit = $2 WHERE id = $1', [accountId, limit]);
}

async function spent({ accountId }: IssuedKey): Promise<number> {
  const [row] = await stack.dataSource.query<{ used: string }[]>(
    'SELECT used FROM credit_balance WHERE subject_id = $1',
    [accountId],
  );
  return Number(row?.used);
}

describe('200', () => {
  it('every response to a key says its limit and what is left of it', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 10 });
    const left = [];
    for (let i = 0; i < 3; i += 1) {
      const { headers } = await models(key);
      expect(headers.get('ratelimit-policy')).toBe('"key";q=10;w=60');
      left.push(/^"key";r=(\d+);t=(60|5\d)$/.exec(headers.get('ratelimit') ?? '')?.[1]);
    }
    expect(left).toEqual(['9', '8', '7']);
  });

  it('a window that has just begun never says that more is left of it than it lasts', async () => {
    const left = [];
    for (let i = 0; i < 40; i += 1) {
      const { headers } = await models(await stack.issueKey({ requestsPerMinute: 10 }));
      left.push(Number(/;t=(\d+)$/.exec(headers.get('ratelimit') ?? '')?.[1]));
    }
    expect(Math.max(...left)).toBe(60);
  });

  onPostgres('a key without a number of its own has that of its tier', async () => {
    const { headers } = await models(await stack.issueKey({ tier: 'free' }));
    expect(headers.get('ratelimit-policy')).toBe('"key";q=60000;w=60');
  });

  it('a generation says how many run and how many may', async () => {
    const { status, headers } = await design(await stack.issueKey({ tier: 'free' }));
    expect(status).toBe(200);
    expect(headers.get('current-concurrent-requests')).toBe('1');
    expect(headers.get('maximum-concurrent-requests')).toBe('2');
  });

  it('explain says what is left, and counts nothing', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 3, tier: 'free' });
    const support = await StaffClient.signedIn(stack, 'support');
    const question = {
      address: '127.0.0.1',
      method: 'POST',
      path: '/v1/text-to-voice/design?output_format=pcm_44100',
    };
    const gates = async () => {
      const { body } = await support.post(`/admin/api-keys/${key.keyId}/explain`, question);
      return body.gates as { gate: string; passed: boolean; rule: string; refusal: object | null }[];
    };
    const limitGate = async () => (await gates()).find(({ gate }) => gate === 'limit');
    await models(key);
    for (let i = 0; i < 5; i += 1) {
      expect(await limitGate()).toMatchObject({ passed: true, rule: expect.stringContaining('2 of 3') });
    }
    await models(key);
    await models(key);
    expect(await limitGate()).toMatchObject({
      passed: false,
      refusal: { code: 'rate_limit_exceeded', status: 429 },
    });
    expect((await gates()).find(({ gate }) => gate === 'tier')).toMatchObject({
      passed: false,
      refusal: { code: 'feature_not_available', status: 403 },
    });
  });

  it('explain says how many generations run, and takes no slot', async () => {
    const key = await stack.issueKey();
    await limitConcurrency(key, 1);
    const support = await StaffClient.signedIn(stack, 'support');
    const slots = async (path: string) => {
      const question = { address: '127.0.0.1', method: 'POST', path };
      const { body } = await support.post(`/admin/api-keys/${key.keyId}/explain`, question);
      return (body.gates as { gate: string }[]).find(({ gate }) => gate === 'concurrency');
    };
    const DESIGN = '/v1/text-to-voice/design';
    const slot = { id: randomUUID(), ownerId: key.accountId };
    for (let i = 0; i < 3; i += 1)
      expect(await slots(DESIGN)).toMatchObject({ passed: true, rule: expect.stringContaining('runs 0 ') });
    await storeOf(stack.api).takeSlot(slot, 1, 60_000);
    expect(await slots(DESIGN)).toMatchObject({
      passed: false,
      rule: 'The account runs 1 generations now; 1 may run at the same time.',
      refusal: { code: 'concurrent_limit_exceeded', status: 429 },
    });
    expect((await design(key)).status).toBe(429);
    expect(await slots('/v1/text-to-voice')).toMatchObject({ passed: true });
    await storeOf(stack.api).freeSlots([slot]);
    expect((await design(key)).status).toBe(200);
  });
});

describe('429', () => {
  it('the request after the last one of the minute, which is neither served nor charged', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 4 });
    for (let i = 0; i < 4; i += 1) expect((await models(key)).status).toBe(200);
    const { status, headers, body } = await design(key);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50);
    expect(headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(body.detail).toMatchObject({
      type: 'rate_limit_error',
      code: 'rate_limit_exceeded',
      message: 'Too many requests: this key may make 4 per minute. Try again later.',
    });
    expect(await spent(key)).toBe(0);
    await stack.api.get(TrafficRecorder).flush();
    const seen = await stack.dataSource.query<object[]>(
      `SELECT outcome, requests::int FROM observed_traffic WHERE key_id = $1 ORDER BY outcome`,
      [key.keyId],
    );
    expect(seen).toEqual([
      { outcome: 'limit', requests: 1 },
      { outcome: 'served', requests: 4 },
    ]);
  });

  it.each([
    ['second', { requestsPerSecond: 3 }],
    ['day', { requestsPerDay: 3 }],
  ] as const)('the request after the last one of the %s, over two processes', async (name, limits) => {
    const key = await stack.issueKey({ requestsPerMinute: 1_000, ...limits });
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => statusOn(i % 2 ? stack.baseUrl : otherUrl, '/v1/models', key)),
    );
    // Under load, twelve requests may take some of its seconds.
    expect(count(statuses, 200)).toBeLessThanOrEqual(name === 'day' ? 3 : 11);
    expect(count(statuses, 200)).toBeGreaterThanOrEqual(3);
    const ended = await eventually(async () => {
      const all = await Promise.all(Array.from({ length: 8 }, () => models(key)));
      const refused = all.find(({ status }) => status === 429);
      if (!refused) throw new Error('Every request passed.');
      return refused;
    });
    expect(ended.body.detail).toMatchObject({
      code: 'rate_limit_exceeded',
      message: `Too many requests: this key may make 3 per ${name}. Try again later.`,
    });
    expect(Number(ended.headers.get('retry-after'))).toBeGreaterThan(name === 'day' ? 80_000 : 0);
  });

  it.each(isShort() ? [100] : [20, 100, 400])(
    'of twice as many requests to two processes, %i pass',
    async (limit) => {
      const key = await stack.issueKey({ requestsPerMinute: limit });
      const statuses = await Promise.all(
        Array.from({ length: 2 * limit }, (_, i) =>
          statusOn(i % 2 ? stack.baseUrl : otherUrl, '/v1/models', key),
        ),
      );
      expect(count(statuses, 200)).toBe(limit);
      expect(count(statuses, 429)).toBe(limit);
    },
  );

  it('a process that has not seen a key yet passes none of a minute that another one has used up', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 400 });
    await allOn(stack.baseUrl, key, 400);
    expect(await allOn(otherUrl, key, 20)).toEqual(Array(20).fill(429));
  });

  it('a key that calls now and then is one message to the store a minute', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 1_000 });
    const taken = jest.spyOn(storeOf(stack.api), 'takeRequests');
    try {
      for (let i = 0; i < 10; i += 1) expect((await models(key)).status).toBe(200);
      expect(taken.mock.calls.length).toBe(1);
    } finally {
      taken.mockRestore();
    }
  });

  onPostgres('HEAD is counted like GET, once', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 10 });
    const { status, headers } = await stack.request('HEAD', '/v1/models', { secret: key.secret });
    expect([status, headers.get('ratelimit')?.slice(0, 9)]).toEqual([200, '"key";r=9']);
    expect((await stack.request('HEAD', '/v1/models')).status).toBe(401);
  });

  onPostgres('requests that another gate refuses are not counted', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 2, permissions: ['voices_read'] });
    for (let i = 0; i < 5; i += 1) expect((await models(key)).status).toBe(403);
    const voices = await stack.request('GET', `/v1/voices/${'x'.repeat(20)}`, { secret: key.secret });
    expect(voices.headers.get('ratelimit')).toMatch(/r=1;/);
  });

  it('a higher limit counts at once', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 1 });
    const admin = await StaffClient.signedIn(stack, 'admin');
    await models(key);
    expect((await models(key)).status).toBe(429);
    const etag = (await admin.get(`/admin/api-keys/${key.keyId}`)).headers.get('etag') ?? '';
    const edit = { requests_per_minute: 2, reason: 'They requested it' };
    const { status } = await admin.patch(`/admin/api-keys/${key.keyId}`, edit, { 'if-match': etag });
    expect(status).toBe(200);
    expect((await models(key)).status).toBe(200);
    expect((await models(key)).status).toBe(429);
  });

  it('one generation too many at the same time, over two processes; it costs nothing', async () => {
    const key = await stack.issueKey();
    await limitConcurrency(key, 1);
    const url = '/v1/text-to-voice/design';
    const statuses = await Promise.all([
      statusOn(stack.baseUrl, url, key, designBody()),
      statusOn(otherUrl, url, key, designBody()),
      statusOn(otherUrl, url, key, designBody()),
    ]);
    expect(statuses.toSorted()).toEqual([200, 429, 429]);
    expect(await spent(key)).toBe(100);
    expect((await design(key)).status).toBe(200);
  });

  it('one generation of a key too many, over two processes, while other keys of the account generate', async () => {
    const key = await stack.issueKey({ concurrencyLimit: 2, creditLimit: 10_000 });
    const { accountId } = key;
    const child = await stack.issueKey({ accountId, parentKeyIds: [key.keyId], concurrencyLimit: 1 });
    const other = await stack.issueKey({ accountId });
    const url = '/v1/text-to-voice/design';
    const on = (at: string, by: IssuedKey) => statusOn(at, url, by, designBody());
    const [others, ...statuses] = await Promise.all([
      on(otherUrl, other),
      ...[stack.baseUrl, otherUrl].flatMap((at) => [on(at, key), on(at, key), on(at, child)]),
    ]);
    expect([others, count(statuses, 200), count(statuses, 429)]).toEqual([200, 2, 4]);
    const { headers } = await design(key);
    expect(headers.get('maximum-concurrent-requests')).toBe('2');
    await eventually(async () => expect(await storeOf(stack.api).countSlots(accountId)).toBe(0));
  });

  onPostgres(
    'explain names the limit of the key, and a refusal of the account leaves the key its slot',
    async () => {
      const key = await stack.issueKey({ concurrencyLimit: 1 });
      const store = storeOf(stack.api);
      const explained = (of: IssuedKey) =>
        stack.api
          .get(ExplainService)
          .explain({
            keyId: of.keyId,
            address: '127.0.0.1',
            method: 'POST',
            path: '/v1/text-to-voice/design',
            cost: 1,
          })
          .then(({ gates }) => gates.find(({ gate }) => gate === 'concurrency'));
      const slot = { id: randomUUID(), ownerId: key.keyId };
      await store.takeSlot(slot, 1, 60_000);
      expect(await explained(key)).toMatchObject({
        rule: 'The key runs 1 generations now; 1 may run at the same time.',
        remedy: 'edit_key',
      });
      expect((await design(key)).body.detail).toMatchObject({
        code: 'concurrent_limit_exceeded',
        message: 'Too many concurrent requests: 1 of 1 are running.',
      });
      await store.freeSlots([slot]);
      const ofIdle = await stack.issueKey({ concurrencyLimit: 1, concurrency: 0 });
      expect(await explained(ofIdle)).toMatchObject({ remedy: 'edit_account' });
      expect((await design(ofIdle)).status).toBe(429);
      expect(await store.countSlots(ofIdle.keyId)).toBe(0);
    },
  );

  onPostgres('a streamed design keeps its slot until it is spoken', async () => {
    const key = await stack.issueKey();
    await limitConcurrency(key, 1);
    expect((await design(key, designBody({ stream_previews: true }))).status).toBe(200);
    expect((await design(key)).status).toBe(429);
    await eventually(async () => expect((await design(key)).status).toBe(200));
  });

  it('no generation at all for an account that may run none, with when to come back', async () => {
    const key = await stack.issueKey();
    await limitConcurrency(key, 0);
    const { status, headers, body } = await design(key);
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('2');
    expect(headers.get('maximum-concurrent-requests')).toBe('0');
    expect(body.detail).toMatchObject({
      code: 'concurrent_limit_exceeded',
      status: 'too_many_concurrent_requests',
    });
  });

  it('a generation that is refused or fails gives its slot back', async () => {
    const key = await stack.issueKey({ creditLimit: 100 });
    await limitConcurrency(key, 1);
    const outcomes = [designBody({ text: 'short' }), designBody({ loudness: 7 }), designBody(), designBody()];
    const statuses = [];
    for (const body of outcomes) {
      statuses.push((await design(key, body)).status);
      // A store that is slow gets the slot back after the response.
      await eventually(async () => expect(await storeOf(stack.api).countSlots(key.accountId)).toBe(0));
    }
    expect(statuses).toEqual([422, 422, 200, 402]);
  });
});

const storeOf = (api: NestFastifyApplication) => api.get<LimitStore>(LIMIT_STORE);

atLength('a process that was busy still reads what the store has replied', async () => {
  const asks = [{ keyId: randomUUID(), limit: 10, requested: 1 }];
  const reply = storeOf(stack.api).takeRequests(asks, 60_000);
  // After the request is sent, and before anything can be read.
  setImmediate(() => {
    const endMs = performance.now() + 2_500;
    while (performance.now() < endMs);
  });
  expect(await reply).toMatchObject([{ granted: 1 }]);
});

describe('slots of a process that was killed', () => {
  it('expire, unless they are renewed', async () => {
    const [store, ownerId] = [storeOf(stack.api), randomUUID()];
    const slots = ['a', 'b'].map((name) => ({ id: `${name} ${ownerId}`, ownerId }));
    for (const slot of slots) expect(await store.takeSlot(slot, 2, 300)).toMatchObject({ taken: true });
    expect(await store.takeSlot({ id: randomUUID(), ownerId }, 2, 300)).toEqual({
      taken: false,
      running: 2,
    });
    await store.renewSlots(slots.slice(0, 1), 60_000);
    await eventually(async () => expect(await store.countSlots(ownerId)).toBe(1));
    expect(await store.takeSlot({ id: randomUUID(), ownerId }, 2, 300)).toEqual({
      taken: true,
      running: 2,
    });
  });
});

onRedis(
  'a process that begins is limited from its first request on, however slow its way to the store',
  async () => {
    const way = await TcpProxy.to(stack.config.redisUrl!);
    way.delayMs = () => 200;
    const key = await stack.issueKey({ requestsPerMinute: 1 });
    const config = Object.create(stack.config, { redisUrl: { value: way.url } }) as AppConfig;
    const begun = await createApi(config);
    try {
      await begun.listen(0, '127.0.0.1');
      way.delayMs = () => 0;
      const statuses = await allOn(await begun.getUrl(), key, 3);
      expect(statuses.toSorted()).toEqual([200, 429, 429]);
    } finally {
      await begun.close();
      await way.stop();
    }
  },
);

describe('while every connection of the process is in use', () => {
  /** Holds all connections that requests have, and one more that waits. */
  const occupyPool = () =>
    Promise.all(Array.from({ length: 11 }, () => stack.dataSource.query('SELECT pg_sleep(1.2)')));

  /** Why all but two of 30 requests at once do not pass. Fewer than two may pass when the store is late, as on a busy machine. */
  async function refusalsOf30(send: () => ReturnType<Stack['request']>): Promise<unknown[]> {
    const occupied = occupyPool();
    const responses = await Promise.all(Array.from({ length: 30 }, send));
    await occupied;
    const outcomes = responses.map(({ status, body }) => (status === 200 ? 'passed' : body.detail?.code));
    expect(count(outcomes, 'passed')).toBeLessThanOrEqual(2);
    expect(count(outcomes, 'passed') + count(outcomes, 'service_unavailable')).toBeGreaterThanOrEqual(2);
    return outcomes.filter((outcome) => outcome !== 'passed' && outcome !== 'service_unavailable');
  }

  it('no more generations run than the account may run', async () => {
    const key = await stack.issueKey();
    await limitConcurrency(key, 2);
    expect((await models(key)).status).toBe(200);
    const refused = await refusalsOf30(() => design(key));
    expect(new Set(refused)).toEqual(new Set(['concurrent_limit_exceeded']));
  });

  it('no more requests pass than the key may make', async () => {
    const key = await stack.issueKey({ requestsPerMinute: 3 });
    expect((await models(key)).status).toBe(200);
    const refused = await refusalsOf30(() => models(key));
    expect(refused.every((code) => code === 'rate_limit_exceeded')).toBe(true);
  });
});

onPostgres(
  'while the store is late, keys that it has counted for are served, and others have a 503',
  async () => {
    const support = await StaffClient.signedIn(stack, 'admin');
    const named = { name: 'speech', reason: 'A test' };
    const { secret: service } = (await support.post('/admin/service-credentials', named)).body as {
      secret: string;
    };
    const introspect = ({ secret: token }: IssuedKey) =>
      stack.request('POST', '/introspect', {
        body: { token },
        headers: { authorization: `Bearer ${service}` },
      });
    const [known, unknown] = [await stack.issueKey({ requestsPerMinute: 8 }), await stack.issueKey()];
    for (const key of [known, unknown]) expect((await models(key)).status).toBe(200);
    stack.api.get(RequestLimiter)['windows'].delete(unknown.keyId);
    const lock = stack.dataSource.createQueryRunner();
    await lock.startTransaction();
    try {
      await lock.query('LOCK TABLE rate_window IN ACCESS EXCLUSIVE MODE');
      expect((await introspect(known)).body).toMatchObject({ active: true });
      for (const { status, headers, body } of [await introspect(unknown), await models(unknown)]) {
        expect([status, headers.get('retry-after')]).toEqual([503, '1']);
        expect(body.detail).toMatchObject({ code: 'service_unavailable' });
      }
      const more = await Promise.all(Array.from({ length: 10 }, async () => (await models(known)).status));
      expect(new Set(more)).toEqual(new Set([503]));
    } finally {
      await lock.rollbackTransaction();
      await lock.release();
    }
    await eventually(async () => expect((await introspect(unknown)).body).toMatchObject({ active: true }));
  },
);

describe('while the store is down', () => {
  atLength.each(['refuses connections', 'never responds'])(
    'each process counts alone: the store %s',
    async (how) => {
      const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as { port: number };
      if (how === 'refuses connections') silent.close();
      const broken = await Stack.start({ worker: false, env: { REDIS_URL: `redis://127.0.0.1:${port}` } });
      try {
        const key = await broken.issueKey({ requestsPerMinute: 3 });
        const startedAtMs = performance.now();
        const models = async () => (await broken.request('GET', '/v1/models', { secret: key.secret })).status;
        expect([await models(), await models()]).toEqual([200, 200]);
        const generated = await broken.request('POST', '/v1/text-to-voice/design', {
          secret: key.secret,
          body: designBody(),
        });
        expect(generated.status).toBe(200);
        expect(await models()).toBe(429);
        expect(broken.api.get(RequestLimiter).calls.unchecked).toBe(3);
        expect(performance.now() - startedAtMs).toBeLessThan(30_000);
      } finally {
        await broken.stop();
        silent.close();
      }
    },
  );

  atLength('each process counts alone when PostgreSQL cannot count', async () => {
    const broken = await Stack.start({ worker: false, env: { REDIS_URL: '' } });
    try {
      const key = await broken.issueKey({ requestsPerMinute: 2 });
      await broken.asOwner('DROP FUNCTION take_requests');
      const statuses = [];
      for (let i = 0; i < 3; i += 1)
        statuses.push((await broken.request('GET', '/v1/models', { secret: key.secret })).status);
      expect(statuses).toEqual([200, 200, 429]);
    } finally {
      await broken.stop();
    }
  });
});
