import { DeadlineError, unlessAborted, withDeadline } from './deadline';

const FAR_MS = 60_000;
const never = () => new Promise<never>(() => undefined);

describe('withDeadline', () => {
  it('settles though the work never does, and aborts its signal with the same error', async () => {
    const signals: AbortSignal[] = [];
    const run = withDeadline(20, undefined, (signal) => {
      signals.push(signal);
      return never();
    });
    await expect(run).rejects.toThrow(new DeadlineError(20));
    await expect(run).rejects.toThrow('it did not end within 0.02 s and was abandoned');
    expect(signals[0]?.reason).toBeInstanceOf(DeadlineError);
  });

  it('passes on what the work returns and what it throws', async () => {
    await expect(withDeadline(FAR_MS, undefined, async () => 'done')).resolves.toBe('done');
    const error = new Error('broken');
    await expect(withDeadline(FAR_MS, undefined, () => Promise.reject(error))).rejects.toBe(error);
  });

  it('passes on a cancellation, also one that came before it began', async () => {
    const cancel = new AbortController();
    const reason = new Error('the worker is stopping');
    const untilAborted = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        const stop = () => reject(signal.reason as Error);
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop);
      });
    const running = withDeadline(FAR_MS, cancel.signal, untilAborted);
    cancel.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect(withDeadline(FAR_MS, cancel.signal, untilAborted)).rejects.toBe(reason);
  });

  it('gives each step the whole time', async () => {
    const steps = async (_: AbortSignal, nextStep: () => void) => {
      for (let step = 0; step < 4; step += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        nextStep();
      }
      return 'done';
    };
    await expect(withDeadline(250, undefined, steps)).resolves.toBe('done');
    const long = (signal: AbortSignal, nextStep: () => void) => steps(signal, nextStep).then(never);
    await expect(withDeadline(250, undefined, long)).rejects.toBeInstanceOf(DeadlineError);
  });

  it('leaves no error unhandled when the work fails after its deadline', async () => {
    let fail!: (error: Error) => void;
    const run = withDeadline(20, undefined, () => new Promise<never>((_, reject) => (fail = reject)));
    await expect(run).rejects.toBeInstanceOf(DeadlineError);
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('unlessAborted', () => {
  it('is what the work returns or throws', async () => {
    const { signal } = new AbortController();
    await expect(unlessAborted(signal, Promise.resolve('done'))).resolves.toBe('done');
    const error = new Error('broken');
    await expect(unlessAborted(signal, Promise.reject(error))).rejects.toBe(error);
  });

  it('does not wait for work that never ends, when the signal aborts or had before', async () => {
    const cancel = new AbortController();
    const reason = new Error('the worker is stopping');
    const waiting = unlessAborted(cancel.signal, never());
    cancel.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(unlessAborted(cancel.signal, never())).rejects.toBe(reason);
  });

  it('leaves no rejection behind of work that fails later', async () => {
    const reason = new Error('the worker is stopping');
    let fail!: (error: Error) => void;
    const work = new Promise<never>((_, reject) => (fail = reject));
    await expect(unlessAborted(AbortSignal.abort(reason), work)).rejects.toBe(reason);
    fail(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
