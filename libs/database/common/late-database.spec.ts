import { AsyncLocalStorage } from 'node:async_hooks';
import { eventually } from '../../../test/support/eventually';
import { currentPatience, LateDatabaseError, whileLate } from './late-database';

const options = (waitSecs: number, notes: string[] = []) => ({
  what: 'the database of DATABASE_URL',
  waitSecs,
  onNote: (note: string) => void notes.push(note),
});

const late = () => new Error('It cannot be used.', { cause: new Error('Query read timeout') });

it('what is late is tried again with longer limits, and says what it waits for', async () => {
  const limits: number[] = [];
  const notes: string[] = [];
  const attempt = async () => {
    limits.push(currentPatience());
    if (limits.length < 3) throw late();
    return 'done';
  };
  expect(await whileLate(attempt, options(60, notes))).toBe('done');
  expect(limits).toEqual([1, 2, 4]);
  expect(notes[0]).toBe(
    'Waiting for the database of DATABASE_URL, which responds late (Query read timeout; 0 of 60 s)',
  );
  expect(currentPatience()).toBe(1);
});

it('keeps the limits of each start until the last one ends, and then leaves nothing on that makes promises dearer', async () => {
  const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
  let end: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let tries = 0;
  const longer = whileLate(async () => {
    if (++tries === 1) throw late();
    await ended;
    return currentPatience();
  }, options(60));
  await whileLate(async () => 'done', options(60));
  await eventually(() => expect(tries).toBe(2));
  await whileLate(async () => 'done', options(60));
  end!();
  expect(await longer).toBe(2);
  const storages = run.mock.contexts as unknown as { enabled: boolean }[];
  expect(storages.map(({ enabled }) => enabled)).toEqual([false, false, false, false]);
  run.mockRestore();
});

it('anything else is final at once', async () => {
  const attempts = jest.fn(async () => Promise.reject(new Error('password authentication failed')));
  await expect(whileLate(attempts, options(60))).rejects.toThrow('password authentication failed');
  expect(attempts).toHaveBeenCalledTimes(1);
});

it('ends after the bound, naming it', async () => {
  await expect(whileLate(async () => Promise.reject(late()), options(0))).rejects.toThrow(LateDatabaseError);
  await expect(whileLate(async () => Promise.reject(late()), options(1))).rejects.toThrow(
    'the database of DATABASE_URL responds too late (Query read timeout), and START_WAIT_SECS (1) is over.',
  );
});

describe('a database that is not reached', () => {
  const failure = (code: string) =>
    new Error('The database of DATABASE_URL (db/x) cannot be used: it refuses.', {
      cause: Object.assign(new Error(`connect ${code}`), { code }),
    });
  const attempts = (code: string) => {
    let count = 0;
    return async () => {
      count++;
      if (count === 1) throw failure(code);
      return count;
    };
  };

  it.each(['ECONNREFUSED', 'ECONNRESET', 'EAI_AGAIN', '57P01', '53300'])(
    '%s is waited for, once said',
    async (code) => {
      const notes: string[] = [];
      expect(await whileLate(attempts(code), { ...options(60, notes), away: true })).toBe(2);
      expect(notes).toEqual([
        `Waiting for the database of DATABASE_URL, which is not reached (connect ${code}; 0 of 60 s)`,
      ]);
    },
  );

  it.each(['28P01', '28000', '3D000', '42501', 'ENOTFOUND', 'SELF_SIGNED_CERT_IN_CHAIN'])(
    '%s is final at once',
    async (code) => {
      await expect(whileLate(attempts(code), { ...options(60), away: true })).rejects.toThrow('it refuses.');
    },
  );

  it('is final at once for a command, and where no start waits', async () => {
    await expect(whileLate(attempts('ECONNREFUSED'), options(60))).rejects.toThrow(/: it refuses\.$/);
    await expect(whileLate(attempts('ECONNREFUSED'), { ...options(0), away: true })).rejects.toThrow(
      /: it refuses\.$/,
    );
  });

  it('of several servers, one that may come back is enough', async () => {
    const refuse = (code: string) => {
      const cause = new AggregateError([new Error('it is not read-write'), failure(code)]);
      return whileLate(
        async () =>
          Promise.reject(Object.assign(new Error('No server can be used.', { cause }), { code: '57P03' })),
        {
          ...options(1),
          away: true,
        },
      );
    };
    await expect(refuse('28P01')).rejects.toThrow(/^No server can be used\.$/);
    await expect(refuse('ECONNREFUSED')).rejects.toThrow(
      'No server can be used. START_WAIT_SECS (1) is over.',
    );
  });
});
