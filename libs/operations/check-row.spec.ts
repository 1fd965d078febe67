import { failed, ok, runChecks, type CheckTable } from './check-row';

const made: string[] = [];

const row = (name: string, needs: string[], outcome: () => ReturnType<typeof ok>) => ({
  about: name,
  remedy: name,
  needs,
  check: async () => {
    made.push(name);
    return outcome();
  },
});

const TABLE: CheckTable<null> = {
  database: row('database', [], () => failed('down')),
  schema: row('schema', ['database'], () => ok('')),
  ledger: row('ledger', ['schema'], () => ok('')),
  clock: row('clock', [], () => {
    throw new Error('no such server');
  }),
  release: row('release', [], () => ok('1')),
};

beforeEach(() => (made.length = 0));

it('one cause is said once: what needs it is skipped, and the others are made', async () => {
  const report = await runChecks(TABLE, null);
  expect(report.map(({ check, status }) => [check, status])).toEqual([
    ['database', 'failed'],
    ['schema', 'skipped'],
    ['ledger', 'skipped'],
    ['clock', 'failed'],
    ['release', 'ok'],
  ]);
  expect(report[2]!.detail).toBe('It cannot be said while "database" fails.');
  expect(report[3]!.detail).toBe('It could not be examined: no such server.');
  expect(made).toEqual(['database', 'clock', 'release']);
});

it('what is needed and not among the names does not keep a check from being made', async () => {
  expect(await runChecks(TABLE, null, ['ledger'])).toEqual([{ check: 'ledger', status: 'ok', detail: '' }]);
});

it('that no connection is left is said by the check of connections alone', async () => {
  const full = Object.assign(new Error('remaining connection slots are reserved'), { code: '53300' });
  const table: CheckTable<null> = {
    secret: row('secret', [], () => {
      throw full;
    }),
    sessions: row('sessions', [], () => {
      throw new Error('The database cannot be used.', { cause: full });
    }),
  };
  expect((await runChecks(table, null)).map(({ status }) => status)).toEqual(['skipped', 'skipped']);
});
