import { checkRedis } from '../../../src/launcher/preflight';
import { loadConfig } from '../../../libs/config/app-config';
import { QUEUE_PREFIX } from '../../../libs/queue/queue-connection';
import { examineRedis } from '../../../libs/queue/redis-facts';
import { RedisLimitStore } from '../../../libs/limits/redis-limit-store';
import { redisTarget } from '../../../libs/connections/redis-client';
import { hasOpenssl } from '../../support/certificates';
import { eventually } from '../../support/eventually';
import { freePort } from '../../support/redis-server';
import { RedisTopology } from '../../support/redis-topologies';
import { ReviewBench } from '../../support/review-bench';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const onRedis = __QUEUE_BACKEND__ === 'redis' ? describe : describe.skip;
const onRedisWithTls = hasOpenssl ? onRedis : describe.skip;

const WINDOW_MS = 60_000;

/** Those of the kind of Redis that is being tested. */
let topology: RedisTopology;
let bench: ReviewBench;

/** Starts a kind of Redis with a worker on it, and tests what holds for every kind. */
function itServes(start: () => Promise<RedisTopology>): void {
  beforeAll(async () => {
    topology = await start();
    bench = await ReviewBench.start(topology.variables);
  });
  afterAll(async () => {
    await bench.stop();
    await topology.stop();
  });

  it('reviews a voice', async () => {
    await bench.startWorker();
    const { voiceId } = await bench.insertVoice();
    await bench.waitForState(voiceId, 'completed');
    // Its worker tells the queue once it has stored the review.
    await eventually(async () => expect(await bench.queue.getCompletedCount()).toBeGreaterThan(0));
  });

  it('counts requests and generations', async () => {
    const store = new RedisLimitStore(redisTarget(bench.config)!);
    try {
      const ask = (keyId: string) => ({ keyId, limit: 3, passed: 0, requested: 2 });
      const asks = ['one', 'two', 'three', 'four'].map(ask);
      await eventually(() => store.takeRequests(asks, WINDOW_MS));
      const again = await store.takeRequests(asks, WINDOW_MS);
      expect(again.map(({ used }) => used)).toEqual([3, 3, 3, 3]);
      const slot = { id: 'request', ownerId: 'account' };
      expect(await store.takeSlot(slot, 1, WINDOW_MS)).toEqual({ taken: true, running: 1 });
      expect(await store.takeSlot({ ...slot, id: 'other' }, 1, WINDOW_MS)).toMatchObject({ taken: false });
      await store.freeSlots([slot]);
      expect(await store.countSlots('account')).toBe(0);
    } finally {
      store.close();
    }
  });

  it('is found fit by the launcher, the worker and the doctor', async () => {
    await expect(checkRedis(bench.config)).resolves.toBeUndefined();
    const findings = await examineRedis(redisTarget(bench.config)!);
    expect(findings.map(({ status }) => status)).toEqual(findings.map(() => 'ok'));
    const masters = topology.variables.REDIS_CLUSTER ? 3 : 1;
    expect(findings).toHaveLength(2 * masters);
  });
}

onRedisWithTls('a Redis over TLS', () => {
  itServes(() => RedisTopology.overTls());

  it('is refused when its certificate is by an authority that is not believed, or the password is wrong', async () => {
    const { REDIS_URL, REDIS_CA } = topology.variables;
    await expect(checkRedis(loadConfig({ REDIS_URL }))).rejects.toThrow(
      /^The Redis of REDIS_URL \(localhost:\d+\/3\) cannot be used: self-signed certificate in certificate chain/,
    );
    const wrong = REDIS_URL.replace('pass%20word', 'wrong');
    await expect(checkRedis(loadConfig({ REDIS_URL: wrong, REDIS_CA }))).rejects.toThrow(/WRONGPASS/);
  });
});

onRedis('a Redis behind sentinels', () => {
  itServes(() => RedisTopology.withSentinel());

  it('reviews voices again when the master is gone and the replica has taken its place', async () => {
    const [master] = topology.servers.keys();
    await topology.kill(master!);
    const { voiceId } = await bench.insertVoice();
    await bench.waitForState(voiceId, 'completed');
  });

  it('is refused in words when the sentinels do not know the master, or are not there', async () => {
    const { REDIS_SENTINELS } = topology.variables;
    const unknown = { REDIS_URL: 'redis://nobody', REDIS_SENTINELS };
    await expect(checkRedis(loadConfig(unknown))).rejects.toThrow(
      /^The Redis of REDIS_SENTINELS \(127.*, master "nobody"\) cannot be used: /,
    );
    const absent = { ...unknown, REDIS_SENTINELS: `127.0.0.1:${await freePort()}` };
    await expect(checkRedis(loadConfig(absent))).rejects.toThrow(/sentinels are unreachable/);
  });
});

onRedis('a Redis Cluster', () => {
  itServes(() => RedisTopology.ofThree());

  it('keeps the queues on one node, and limits on all', () => {
    const home = topology.portOf(QUEUE_PREFIX);
    const others = [...topology.servers.keys()].filter((port) => port !== home);
    expect(topology.keysOn(home).some((key) => key.startsWith(QUEUE_PREFIX))).toBe(true);
    const elsewhere = others.flatMap((port) => topology.keysOn(port));
    expect(elsewhere.filter((key) => key.startsWith(QUEUE_PREFIX))).toEqual([]);
    expect(elsewhere.filter((key) => key.startsWith('greenroom:requests:'))).not.toEqual([]);
  });

  it('is named when one of its nodes is given as a server of its own', async () => {
    const [node] = [...topology.servers.keys()];
    const config = loadConfig({ REDIS_URL: `redis://127.0.0.1:${node}` });
    expect(await examineRedis(redisTarget(config)!)).toContainEqual({
      status: 'failed',
      detail: expect.stringMatching(/is a node of a cluster.*REDIS_CLUSTER/),
    });
  });

  it('reviews voices again when the node of the queues has been away', async () => {
    const home = topology.portOf(QUEUE_PREFIX);
    await topology.kill(home);
    const { voiceId } = await bench.insertVoice();
    await topology.startNode(home);
    await bench.waitForState(voiceId, 'completed');
  });

  it('is refused in words when no node responds', async () => {
    const absent = { REDIS_URL: 'redis://cluster', REDIS_CLUSTER: `127.0.0.1:${await freePort()}` };
    await expect(checkRedis(loadConfig(absent))).rejects.toThrow(
      /^The Redis of REDIS_CLUSTER \(127.0.0.1:\d+\) cannot be used: /,
    );
  });
});
