import { loadConfig } from '@app/config/app-config';
import type { BackupRunRepository } from '@app/database/operations/backup-run.repository';
import { Logger } from '@nestjs/common';
import { eventually } from '../../../../test/support/eventually';
import { ScheduledBackups } from './scheduled-backups';

const { env, execPath } = process;
afterEach(() => Object.assign(process, { env, execPath }));

it.each([
  ['refuses its arguments', { env: { ...env, BIG: 'x'.repeat(200_000) } }, 'spawn E2BIG'],
  ['does not find its program', { execPath: '/nowhere/node' }, 'spawn /nowhere/node ENOENT'],
])(
  'logs a backup that cannot be begun because the system %s, and begins the next',
  async (_, changed, cause) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const runs = { getState: async () => ({ attemptedAt: null, succeededAt: null }) } as BackupRunRepository;
    const config = loadConfig({ BACKUP_SCHEDULE: '0 3 * * *', BACKUP_TO: '/backups' });
    const backups = new ScheduledBackups(config, runs);
    Object.assign(process, changed);
    for (const times of [1, 2]) {
      await backups.check();
      await eventually(() => expect(logged).toHaveBeenCalledTimes(times));
      await backups.beforeApplicationShutdown();
    }
    expect(logged).toHaveBeenLastCalledWith(`The backup cannot be begun: ${cause}`);
    logged.mockRestore();
  },
);
