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
