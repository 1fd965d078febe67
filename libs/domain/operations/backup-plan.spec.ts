import {
  backupName,
  evaluateBackups,
  isBackupDue,
  isProofDue,
  listExpiredBackups,
  readBackupKeep,
  timeOfBackup,
  type BackupState,
} from './backup-plan';

const NOW = new Date('2026-11-29T12:00:00Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const NEVER: BackupState = {
  attemptedAt: null,
  lastError: null,
  succeededAt: null,
  provedAt: null,
  proofError: null,
};

it('a name says when its backup was begun', () => {
  expect(backupName(new Date('2026-11-29T03:00:07.123Z'))).toBe('greenroom-20261129T030007Z.tar.gz');
  expect(timeOfBackup('greenroom-20261129T030007Z.tar.gz')).toEqual(new Date('2026-11-29T03:00:07Z'));
  for (const other of ['greenroom.tar.gz', 'greenroom-20261329T030007Z.tar.gz', 'notes.txt'])
    expect(timeOfBackup(other)).toBeNull();
});

it.each([
  ['7d,4w,12m', { days: 7, weeks: 4, months: 12 }],
  ['1d, 0w, 0m', { days: 1, weeks: 0, months: 0 }],
  ['0d,0w,0m', undefined],
  ['7', undefined],
  ['7d,4w', undefined],
])('to keep %s is %j', (text, keep) => expect(readBackupKeep(text)).toEqual(keep));

describe('what stays', () => {
  const daily = Array.from({ length: 120 }, (_, day) => backupName(hoursAgo(24 * day)));
  const remaining = (names: string[], keep: string, proved: string | null = null) => {
    const expired = new Set(listExpiredBackups(names, readBackupKeep(keep)!, proved));
    return names.filter((name) => !expired.has(name));
  };

  it('is the newest of each of the last days, weeks and months', () => {
    const days = remaining(daily, '3d,2w,3m').map((name) => name.slice(10, 18));
    // 29 November 2026 is a Sunday: the week before ends on the 22nd.
    expect(days).toEqual(['20261129', '20261128', '20261127', '20261122', '20261031', '20260930']);
  });

  it('is the newest of a day with several, and never nothing', () => {
    const names = [backupName(hoursAgo(3)), backupName(hoursAgo(1)), backupName(hoursAgo(30))];
    expect(remaining(names, '1d,0w,0m')).toEqual([names[1]]);
    expect(remaining([backupName(hoursAgo(9_000))], '1d,0w,0m')).toHaveLength(1);
  });

  it('is the one that was proved last', () => {
    const names = [backupName(hoursAgo(3)), backupName(hoursAgo(1))];
    expect(remaining(names, '1d,0w,0m', names[0])).toEqual(names);
  });

  it('is everything with another name', () =>
    expect(
      listExpiredBackups(
        ['greenroom.tar.gz', 'mine', '.greenroom-backup-run'],
        readBackupKeep('1d,0w,0m')!,
        null,
      ),
    ).toEqual([]));
});

it.each<[string, Partial<BackupState>, boolean]>([
  ['none was made', {}, true],
  ['the last one is older than the slot', { attemptedAt: hoursAgo(30), succeededAt: hoursAgo(30) }, true],
  ['one was made since', { attemptedAt: hoursAgo(8), succeededAt: hoursAgo(8) }, false],
  ['one has just failed, or runs', { attemptedAt: hoursAgo(0.1), succeededAt: hoursAgo(30) }, false],
  ['one failed a while ago', { attemptedAt: hoursAgo(0.3), succeededAt: hoursAgo(30) }, true],
])('a backup is due when %s: %j %s', (_, state, due) =>
  expect(isBackupDue(hoursAgo(9), { ...NEVER, ...state }, NOW)).toBe(due),
);

it.each<[Partial<BackupState>, number, boolean]>([
  [{}, 7, true],
  [{ provedAt: hoursAgo(24) }, 7, false],
  [{ provedAt: hoursAgo(24 * 7) }, 7, true],
  [{ provedAt: hoursAgo(1) }, 0, true],
  [{ provedAt: hoursAgo(1), proofError: 'broken' }, 7, true],
  [{}, Infinity, false],
])('after %j and every %s days a proof is due: %s', (state, days, due) =>
  expect(isProofDue({ ...NEVER, ...state }, days, NOW)).toBe(due),
);

it.each<[string, Partial<BackupState>, string, unknown]>([
  ['were never made', {}, 'warning', expect.stringContaining('begins within a minute')],
  [
    'never succeeded',
    { attemptedAt: hoursAgo(1), lastError: 'The disk is full.' },
    'failed',
    'None has succeeded. The last attempt: The disk is full. Repair that, then "greenroom backup run".',
  ],
  [
    'are old',
    { attemptedAt: hoursAgo(1), succeededAt: hoursAgo(80) },
    'failed',
    expect.stringContaining('3 days old'),
  ],
  [
    'cannot be restored',
    {
      attemptedAt: hoursAgo(1),
      succeededAt: hoursAgo(1),
      provedAt: hoursAgo(1),
      proofError: 'audit log: broken.',
    },
    'failed',
    expect.stringContaining('The last proof failed: audit log: broken.'),
  ],
  [
    'were not proved for long',
    { attemptedAt: hoursAgo(1), succeededAt: hoursAgo(1), provedAt: hoursAgo(24 * 15) },
    'warning',
    expect.stringContaining('greenroom backup prove'),
  ],
  [
    'are fine',
    { attemptedAt: hoursAgo(9), succeededAt: hoursAgo(9), provedAt: hoursAgo(33) },
    'ok',
    'The last one is 9 h old, the last proof is 33 h old.',
  ],
])('backups that %s', (_, state, status, detail) =>
  expect(evaluateBackups({ ...NEVER, ...state }, { slot: hoursAgo(9), proofDays: 7, now: NOW })).toEqual({
    status,
    detail,
  }),
);

it('without a schedule nothing is missing', () =>
  expect(evaluateBackups(NEVER, { slot: null, proofDays: 7, now: NOW }).status).toBe('ok'));
