import { eventually } from '../support/eventually';
import { freePort } from '../support/redis-server';
import { Balancer } from './balancer';
import { pause } from './fault-options';
import { startGreenroom } from './greenroom';
import { Machine } from './machine';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const CUSTOMERS = 8;
const PAUSE_MS = 20;
const ROUNDS = 3;
const PREVIEWS = ROUNDS * 2_000;

jest.setTimeout(300_000);

describe(`a rolling restart on ${__QUEUE_BACKEND__}`, () => {
  let machine: Machine;
  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine.stop());

  it('of two apis and two workers under load fails no request, and leaves every voice reviewed once', async () => {
    const greenroom = await startGreenroom(machine, { workers: 2, previews: PREVIEWS });
    const port = await freePort();
    const second = await machine.startNode('api 2', 'api-node.cjs', { port });
    const balancer = await Balancer.before([greenroom.url, `http://127.0.0.1:${port}`]);
    const create = greenroom.createAt(balancer.url);
    const left = [...greenroom.previewIds];
    const responses: Record<number, number> = {};
    const over = new AbortController();
    const customer = async () => {
      for (let id = left.pop(); id && !over.signal.aborted; id = left.pop()) {
        const { status } = await create(id, 15_000).catch(() => ({ status: 0 }));
        responses[status] = (responses[status] ?? 0) + 1;
        await pause(PAUSE_MS);
      }
    };
    const load = Promise.all(Array.from({ length: CUSTOMERS }, customer));
    const startedAt = performance.now();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const node of [greenroom.api, greenroom.workers[0]!, second, greenroom.workers[1]!]) {
        await node.restart();
        await pause(1_000);
      }
    over.abort();
    await load;
    await balancer.stop();
    const secs = (performance.now() - startedAt) / 1_000;
    await eventually(async () => expect(await greenroom.backlog()).toBe(0), {
      withinMs: 120_000,
      everyMs: 250,
    });
    const outcomes = await greenroom.outcomes();
    const once = outcomes.filter(({ effects }) => effects === 1).length;
    const sent = Object.values(responses).reduce((sum, count) => sum + count, 0);
    process.stdout.write(
      `Rolling restart on ${__QUEUE_BACKEND__}: ${4 * ROUNDS} processes in ${secs.toFixed(1)} s, ${sent} requests, ${sent - (responses[200] ?? 0)} failures (responses ${JSON.stringify(responses)}), ${outcomes.length} voices, ${once} reviewed once\n`,
    );
    expect(responses).toEqual({ 200: sent });
    expect([outcomes.length, once]).toEqual([sent, sent]);
    expect(sent).toBeGreaterThan(100);
  });
});
