import { AppConfig, childEnvironment } from '@app/config/app-config';
import { PROJECT_ROOT } from '@app/config/project-root';
import { lastSlot } from '@app/config/schedule';
import { BackupRunRepository } from '@app/database/operations/backup-run.repository';
import { isBackupDue } from '@app/domain/operations/backup-plan';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Round } from '../loop';

const ENTRY = join(PROJECT_ROOT, 'dist/src/main.js');

/**
 * Begins the backup that is due, in a separate process: copying and packing take minutes, and would keep this one from its jobs. Of
 * several workers that begin one, the first makes it, and the others find that it is no longer due.
 */
@Injectable()
export class ScheduledBackups implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ScheduledBackups.name);
  private child: ChildProcess | null = null;

  constructor(
    private readonly config: AppConfig,
    private readonly runs: BackupRunRepository,
  ) {}

  async check(now = new Date()): Promise<Round> {
    const { backupSchedule } = this.config;
    if (backupSchedule === undefined || this.child !== null) return 'idle';
    if (isBackupDue(lastSlot(backupSchedule, now), await this.runs.getState(), now)) void this.run();
    return 'idle';
  }

  /** A backup that is ended leaves nothing; the next worker makes it. */
  async beforeApplicationShutdown(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'close');
  }

  private async run(): Promise<void> {
    try {
      const child = spawn(process.execPath, [...process.execArgv, ENTRY, 'backup', 'run', '--if-due'], {
        env: childEnvironment({}),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      this.child = child;
      // The first ends the wait below; a later one changes nothing.
      child.on('error', () => undefined);
      // One that was not spawned for want of file descriptors has no streams.
      await once(child, 'spawn');
      const [output, problem, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      for (const line of output.trim().split('\n').filter(Boolean)) this.logger.log(line);
      if (code !== 0) this.logger.error(problem.trim().split('\n').at(-1) || `It ended with ${code}.`);
    } catch (error) {
      this.logger.error(`The backup cannot be begun: ${(error as Error).message}`);
    } finally {
      this.child = null;
    }
  }
}
