import { SpeechQueue } from './speech-queue';

const ESTIMATE = { speechSecs: 30, bytes: 100 };

/** A preview that is spoken when the test says so. */
class Preview {
  finish: (value: string) => void = () => undefined;
  fail: (error: Error) => void = () => undefined;
  signal: AbortSignal | null = null;

  readonly speak = async (signal: AbortSignal): Promise<string> => {
    this.signal = signal;
    return new Promise((resolve, reject) => {
      [this.finish, this.fail] = [resolve, reject];
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  };

  get started(): boolean {
    return this.signal !== null;
  }
}

const settle = async () => new Promise((resolve) => setImmediate(resolve));

function enter(queue: SpeechQueue, accountId: string, signal?: AbortSignal, firstByItself = false) {
  const previews = [new Preview(), new Preview(), new Preview()];
  const done = queue.run(
    accountId,
    ESTIMATE,
    previews.map(({ speak }) => speak),
    signal,
    firstByItself,
  );
  done.catch(() => undefined);
  const finish = async () => {
    await settle();
    for (const preview of previews) preview.finish('spoken');
    await done;
    await settle();
  };
  return { previews, done, finish, started: () => previews.filter(({ started }) => started).length };
}

const open = (limits: object = {}) => new SpeechQueue({ slots: 3, secsPerSpeechSec: 0.1, ...limits });

describe('turns', () => {
  it('go to the account that has had none, before the next design of another', async () => {
    const queue = open();
    const [first, second] = [enter(queue, 'many'), enter(queue, 'many')];
    const other = enter(queue, 'few');
    await settle();
    expect([first, second, other].map((each) => each.started())).toEqual([3, 0, 0]);
    await first.finish();
    expect([second, other].map((each) => each.started())).toEqual([0, 3]);
    await other.finish();
    expect(second.started()).toBe(3);
    await second.finish();
  });

  it('leave no slot idle: the next design begins while the last preview of the one before is spoken', async () => {
    const queue = open();
    const [first, second] = [enter(queue, 'one'), enter(queue, 'two')];
    await settle();
    first.previews[0]!.finish('spoken');
    await settle();
    expect(second.started()).toBe(1);
    await first.finish();
    await second.finish();
  });
});

describe('a design whose first preview is hurried', () => {
  const flushSoon = (queue: SpeechQueue, accountId: string, signal?: AbortSignal) =>
    enter(queue, accountId, signal, true);

  it('speaks it alone, and then the others at once', async () => {
    const hurried = flushSoon(open(), 'one');
    await settle();
    expect(hurried.started()).toBe(1);
    hurried.previews[0]!.finish('spoken');
    await settle();
    expect(hurried.started()).toBe(3);
    await hurried.finish();
    await expect(hurried.done).resolves.toEqual(['spoken', 'spoken', 'spoken']);
  });

  it('leaves the free slots to the next design, and then comes before the one after it', async () => {
    const queue = open();
    const hurried = flushSoon(queue, 'one');
    const [next, last] = [enter(queue, 'two'), enter(queue, 'three')];
    await settle();
    expect([hurried, next, last].map((each) => each.started())).toEqual([1, 2, 0]);
    next.previews[0]!.finish('spoken');
    await settle();
    expect([hurried, next, last].map((each) => each.started())).toEqual([1, 3, 0]);
    hurried.previews[0]!.finish('spoken');
    next.previews[1]!.finish('spoken');
    await settle();
    expect([hurried, next, last].map((each) => each.started())).toEqual([3, 3, 0]);
    await Promise.all([hurried.finish(), next.finish()]);
    await last.finish();
  });

  it('ends with it when it fails or is aborted, and leaves no slot taken', async () => {
    const queue = open();
    const stop = new AbortController();
    const [failed, aborted] = [flushSoon(queue, 'one'), flushSoon(queue, 'two', stop.signal)];
    await settle();
    failed.previews[0]!.fail(new Error('broken'));
    stop.abort(new Error('gone'));
    await expect(failed.done).rejects.toThrow('broken');
    await expect(aborted.done).rejects.toThrow('gone');
    const next = enter(queue, 'three');
    await settle();
    expect([failed, aborted, next].map((each) => each.started())).toEqual([1, 1, 3]);
    await next.finish();
  });
});

describe('a design that is aborted', () => {
  it('leaves its place in the queue, with the reason of the caller', async () => {
    const queue = open();
    const stop = new AbortController();
    const [first, gone, last] = [
      enter(queue, 'one'),
      enter(queue, 'two', stop.signal),
      enter(queue, 'three'),
    ];
    const reason = new Error('gone');
    stop.abort(reason);
    await expect(gone.done).rejects.toBe(reason);
    await first.finish();
    expect([gone.started(), last.started()]).toEqual([0, 3]);
    await last.finish();
    expect(queue.waitSecsOf('one')).toBe(0);
  });

  it('stops where it is spoken, and frees its slots', async () => {
    const queue = open();
    const stop = new AbortController();
    const [gone, next] = [enter(queue, 'one', stop.signal), enter(queue, 'two')];
    await settle();
    stop.abort(new Error('gone'));
    await settle();
    expect(gone.previews.map(({ signal }) => signal?.aborted)).toEqual([true, true, true]);
    expect(next.started()).toBe(3);
    await next.finish();
  });

  it('is not begun when that was before', async () => {
    const preview = new Preview();
    const reason = new Error('gone');
    const done = open().run('one', ESTIMATE, [preview.speak], AbortSignal.abort(reason));
    await expect(done).rejects.toBe(reason);
    expect(preview.started).toBe(false);
  });
});

it('a preview that fails stops the others of its design, and only those', async () => {
  const queue = open({ slots: 4 });
  const [broken, other] = [enter(queue, 'one'), enter(queue, 'two')];
  await settle();
  const error = new Error('broken');
  broken.previews[1]!.fail(error);
  await expect(broken.done).rejects.toBe(error);
  expect(broken.previews[2]!.signal?.aborted).toBe(true);
  await settle();
  expect(other.started()).toBe(3);
  await other.finish();
});

it('a design that takes too long ends as a timeout', async () => {
  const { done } = enter(open({ timeoutMs: 1 }), 'one');
  await expect(done).rejects.toMatchObject({ failure: 'timeout' });
});

describe('a design is refused', () => {
  // Each takes 30 s of speech, three slots speak 30 s in one: the estimate is a second a design.
  it('when its turn would be too far away, sooner for an account that has others in the queue', async () => {
    const queue = open({ maxWaitSecs: 4 });
    const heavy = [0, 1, 2].map(() => enter(queue, 'heavy'));
    expect(queue.waitSecsOf('heavy')).toBeCloseTo(3);
    const refused = await enter(queue, 'heavy').done.catch((error: unknown) => error);
    expect(refused).toMatchObject({ failure: 'queue_full', options: { retryAfterSecs: 2 } });
    expect(queue.waitSecsOf('other')).toBeCloseTo(1);
    const other = enter(queue, 'other');
    for (const { finish } of [heavy[0]!, other, heavy[1]!, heavy[2]!]) await finish();
    const again = enter(queue, 'heavy');
    await again.finish();
  });

  it('when its audio would need more memory than its account leaves free for others', async () => {
    const queue = open({ maxBytes: 399 });
    const heavy = enter(queue, 'heavy');
    const second = enter(queue, 'heavy');
    await expect(enter(queue, 'heavy').done).rejects.toMatchObject({ failure: 'queue_full' });
    const other = enter(queue, 'other');
    for (const { finish } of [heavy, other, second]) await finish();
    await enter(queue, 'heavy').finish();
  });
});
