import { PROJECT_ROOT } from '@app/config/project-root';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually';
import { AudioThreads } from './audio-threads';
import {
  AudioTaskCrashedError,
  AudioTaskStarvedError,
  AudioTaskTimeoutError,
  AudioThreadBrokenError,
} from './audio-threads.error';
import { UndecodableAudioError } from '../codecs/undecodable-audio.error';

const LOAD_IN_THREAD = join(PROJECT_ROOT, 'dist/libs/domain/common/load-in-thread.js');
const THREAD_TIME = join(PROJECT_ROOT, 'dist/libs/audio/threads/thread-time.js');

/** A thread that does what the first byte says: the real one needs a build and never misbehaves. */
const THREAD = `
const { loadInThread } = require(${JSON.stringify(LOAD_IN_THREAD)});
const { timed } = require(${JSON.stringify(THREAD_TIME)});
exports.inspect = timed(async ({ bytes }, isStopped) => {
  if (bytes[0] === 1) for (;;);
  if (bytes[0] === 8) while (!isStopped());
  if (bytes[0] === 9) return { decoded: { container: 'wav', durationSecs: require('node:worker_threads').threadId } };
  return { decoded: { container: 'wav', durationSecs: bytes.length } };
});
exports.encode = async () => loadInThread(() => import(__dirname + '/library.mjs')).then(({ encoded }) => encoded);
exports.measure = timed(async ({ bytes }) => {
  const kept = [];
  if (bytes[0] === 1) for (;;);
  if (bytes[0] === 2) for (;;) kept.push(new Array(10000).fill({}));
  if (bytes[0] === 3) return { undecodable: 'a test' };
  if (bytes[0] === 4) process.exit(3);
  if (bytes[0] === 5) throw new TypeError('a fault of our own');
  if (bytes[0] === 7) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  return { decoded: { measurements: { durationSecs: bytes.length }, audioInfo: {} } };
});`;
const [HANG, EAT_MEMORY, REFUSE, EXIT, FAIL, WORK, GET_NO_TIME, WAIT_FOR_STOP, SAY_THREAD] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9,
].map((n) => Uint8Array.of(n)) as Uint8Array[];

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('AudioThreads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audio-threads-'));
  const threadFile = join(folder, 'thread.js');
  const open: AudioThreads[] = [];
  const start = (taskTimeoutMs = 10_000, longestMs = 300_000) => {
    const threads = new AudioThreads({ threadFile, threads: 2, heapMb: 32, taskTimeoutMs, longestMs });
    open.push(threads);
    return threads;
  };

  beforeAll(() => writeFileSync(threadFile, THREAD));
  afterAll(async () => {
    await Promise.all(open.map((threads) => threads.close()));
    rmSync(folder, { recursive: true });
  });

  it('measures in a thread, and leaves the bytes with the caller', async () => {
    const bytes = Buffer.from([6, 0, 0]);
    expect((await start().measure(bytes)).measurements.durationSecs).toBe(3);
    expect([...bytes]).toEqual([6, 0, 0]);
  });

  it('brings an undecodable file across as itself', async () => {
    await expect(start().measure(REFUSE!)).rejects.toThrow(UndecodableAudioError);
    await expect(start().measure(REFUSE!)).rejects.toThrow(/^Found a test\. Accepted: WAV/);
  });

  it('stops a task at its time limit and continues with the next', async () => {
    const threads = start(300);
    await expect(threads.measure(HANG!)).rejects.toThrow(AudioTaskTimeoutError);
    await expect(threads.measure(WORK!)).resolves.toBeDefined();
  });

  onLinux(
    'tells a task that a busy machine gives no processor from one that uses too much of it',
    async () => {
      await expect(start(1_000, 3_000).measure(GET_NO_TIME!)).rejects.toThrow(AudioTaskStarvedError);
      await expect(start(300).measure(HANG!)).rejects.toThrow(AudioTaskTimeoutError);
    },
  );

  it('does not count the wait for a free thread', async () => {
    const threads = start(300);
    const results = await Promise.allSettled([HANG!, HANG!, WORK!].map((bytes) => threads.measure(bytes)));
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  }, 20_000);

  it.each([
    ['runs out of memory', EAT_MEMORY!],
    ['exits', EXIT!],
  ])(
    'survives a thread that %s',
    async (_, poison) => {
      const threads = start();
      const [bad, good] = await Promise.allSettled([threads.measure(poison), threads.measure(WORK!)]);
      expect(bad).toMatchObject({ status: 'rejected', reason: expect.any(AudioTaskCrashedError) as unknown });
      expect(good.status).toBe('fulfilled');
      await expect(threads.measure(WORK!)).resolves.toBeDefined();
    },
    20_000,
  );

  it('warms up with what the real thread can encode and measure', async () => {
    const threads = new AudioThreads({ threads: 1 });
    open.push(threads);
    await expect(threads.warmUp()).resolves.toBeUndefined();
  });

  it('has real threads that all work when they start at the same time', async () => {
    const one = { samples: new Float32Array(1), sampleRate: 8_000 };
    const many = Array.from({ length: 4 }, () => new AudioThreads({ threads: 4, idleThreads: 4 }));
    open.push(...many);
    const tasks = many.flatMap((threads) =>
      Array.from({ length: 8 }, () => threads.encode(one, 'pcm_16000')),
    );
    await expect(Promise.all(tasks)).resolves.toHaveLength(32);
  }, 30_000);

  it('lets a fault of our own through as what it is', async () => {
    await expect(start().measure(FAIL!)).rejects.toThrow('a fault of our own');
  });

  it('stops when the caller aborts, with the reason of the caller', async () => {
    const threads = start();
    const controller = new AbortController();
    const hanging = threads.measure(HANG!, { signal: controller.signal });
    controller.abort(new Error('shutting down'));
    await expect(hanging).rejects.toThrow('shutting down');
    await expect(threads.measure(WORK!, { signal: controller.signal })).rejects.toThrow('shutting down');
    await expect(threads.measure(WORK!)).resolves.toBeDefined();
  });

  it('lets the next large recording in when one whose bytes do not come is aborted', async () => {
    const threads = start();
    const sizeBytes = 2_000_000;
    const controller = new AbortController();
    const read = async () => new Promise<Uint8Array>(() => undefined);
    const stalled = threads.measure({ sizeBytes, read }, { signal: controller.signal });
    controller.abort(new Error('too late'));
    await expect(stalled).rejects.toThrow('too late');
    const next = { sizeBytes, read: async () => Uint8Array.from(WORK!) };
    await expect(threads.measure(next)).resolves.toBeDefined();
  });

  it('replaces a thread that could not load a library', async () => {
    const threads = new AudioThreads({ threadFile, threads: 1 });
    open.push(threads);
    const library = join(folder, 'library.mjs');
    const encode = () => threads.encode({ samples: new Float32Array(1), sampleRate: 8000 }, 'pcm_16000');
    writeFileSync(library, "throw new Error('EMFILE: too many open files')");
    await expect(encode()).rejects.toThrow(AudioThreadBrokenError);
    writeFileSync(library, "export const encoded = 'audio'");
    await expect(encode()).resolves.toBe('audio');
  });

  it('inspects a file whose bytes are read when a thread is free, and stops when the caller aborts', async () => {
    const threads = new AudioThreads({ threadFile, threads: 1 });
    open.push(threads);
    const controller = new AbortController();
    const hanging = threads.inspect(async () => HANG!.slice(), controller.signal);
    const read = jest.fn(async () => WORK!.slice());
    const next = threads.inspect(read);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(read).not.toHaveBeenCalled();
    controller.abort(new Error('the client has left'));
    await expect(hanging).rejects.toThrow('the client has left');
    await expect(next).resolves.toMatchObject({ durationSecs: 1 });
  });

  it('keeps the thread of an inspection that stops, and replaces that of one that does not', async () => {
    const threads = new AudioThreads({ threadFile, threads: 1 });
    open.push(threads);
    const thread = async () => (await threads.inspect(async () => SAY_THREAD!.slice())).durationSecs;
    const leave = async (task: Uint8Array) => {
      const bytes = task.slice();
      const controller = new AbortController();
      const inspection = threads.inspect(async () => bytes, controller.signal);
      // Handed over to the thread.
      await eventually(() => expect(bytes).toHaveLength(0));
      controller.abort(new Error('the client has left'));
      await expect(inspection).rejects.toThrow('the client has left');
    };
    const first = await thread();
    await leave(WAIT_FOR_STOP!);
    expect(await thread()).toBe(first);
    await leave(HANG!);
    expect(await thread()).not.toBe(first);
  });
});

/** The priorities of the threads of this process, by proc(5): the 17th field behind the name. */
function threadPriorities(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

onLinux('threads yield to what serves requests', async () => {
  const lowered = Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL);
  const threads = new AudioThreads({ threads: 1 });
  await threads.warmUp();
  const priorities = threadPriorities();
  await threads.close();
  expect(priorities).toContain(lowered);
});
