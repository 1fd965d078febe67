import { eventually } from '../support/eventually';
import { FAULT_OPTIONS } from './fault-options';
import { startGreenroom } from './greenroom';
import { Machine } from './machine';

declare const __QUEUE_BACKEND__: 'postgres' | 'redis';

const { voices, isLong } = FAULT_OPTIONS;
const IDLE_VOICES = isLong ? 50 : 5;
/** Requests at the same time while the queue is filled. */
const CUSTOMERS = 20;

jest.setTimeout(120_000 + voices * 1_000);

describe(`reviews on ${__QUEUE_BACKEND__}`, () => {
  let machine: Machine;
  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine.stop());

  const print = (text: string) => process.stdout.write(`  ${__QUEUE_BACKEND__}: ${text}\n`);

  it('come within moments when nothing else waits', async () => {
    const greenroom = await startGreenroom(machine, { workers: 1, previews: IDLE_VOICES, recordingSecs: 10 });
    const tookMs: number[] = [];
    for (const previewId of greenroom.previewIds) {
      const startedAt = performance.now();
      await greenroom.create(previewId, 10_000);
      await eventually(async () => expect(await greenroom.backlog()).toBe(0), { everyMs: 10 });
      tookMs.push(performance.now() - startedAt);
    }
    const sorted = tookMs.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]!);
    print(
      `POST to reviewed, ten seconds of audio: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (${tookMs.length} voices)`,
    );
    expect(at(0.5)).toBeLessThan(isLong ? 1_000 : 5_000);
  });

  it('of a long queue are all done, each once', async () => {
    const greenroom = await startGreenroom(machine, { workers: 0, previews: voices, recordingSecs: 10 });
    const left = [...greenroom.previewIds];
    const customer = async () => {
      for (let id = left.pop(); id; id = left.pop()) await greenroom.create(id, 30_000);
    };
    await Promise.all(Array.from({ length: CUSTOMERS }, customer));
    expect(await greenroom.backlog()).toBe(2 * voices);
    await machine.startNode('worker', 'worker-node.cjs');
    const startedAt = performance.now();
    await eventually(async () => expect(await greenroom.backlog()).toBe(0), {
      withinMs: 60_000 + voices * 500,
      everyMs: 200,
    });
    const secs = (performance.now() - startedAt) / 1_000;
    print(
      `${voices} queued voices of ten seconds: ${secs.toFixed(1)} s, ${(voices / secs).toFixed(1)} a second, one worker`,
    );
    const outcomes = await greenroom.outcomes();
    expect(outcomes.filter(({ effects }) => effects !== 1)).toEqual([]);
    expect(outcomes).toHaveLength(voices);
  });
});
