import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from './launch-error';
import { identifyProcess, isSameProcessRunning, type ProcessIdentity } from './process-identity';

/** What the holder of a DATA_DIR writes about itself. */
interface LockRecord extends ProcessIdentity {
  /** Where the api can be reached, once that is known. */
  baseUrl?: string;
  /** Processes that must not outlive the holder. */
  children: ProcessIdentity[];
}

/** The right to run on a DATA_DIR: held by one process, and free again as soon as that process is gone. */
export class DataDirLock {
  private record: LockRecord;

  private constructor(
    private readonly path: string,
    self: ProcessIdentity,
    /** What a holder that was killed has left running. */
    readonly leftovers: ProcessIdentity[],
  ) {
    this.record = { ...self, children: [] };
  }

  /** @throws LaunchError naming the process that holds it */
  static acquire(dataDir: string): DataDirLock {
    const path = join(dataDir, 'launcher.lock');
    const self = identifyProcess(process.pid) ?? { pid: process.pid, startedAt: '' };
    const leftovers: ProcessIdentity[] = [];
    while (!createLock(path, { ...self, children: [] })) {
      const holder = readLock(path);
      if (holder && isSameProcessRunning(holder)) {
        throw new LaunchError(
          `Greenroom is already running on ${dataDir} (pid ${holder.pid}). Stop it first, or set another DATA_DIR.`,
        );
      }
      leftovers.push(...removeStaleLock(path, holder));
    }
    return new DataDirLock(path, self, leftovers.filter(isSameProcessRunning));
  }

  /** The process that runs on this DATA_DIR now, or null. */
  static holder(dataDir: string): LockRecord | null {
    const record = readLock(join(dataDir, 'launcher.lock'));
    return record && isSameProcessRunning(record) ? record : null;
  }

  update(values: Partial<Pick<LockRecord, 'baseUrl' | 'children'>>): void {
    this.record = { ...this.record, ...values };
    const temporary = `${this.path}.${process.pid}.tmp`;
    writeFileSync(temporary, JSON.stringify(this.record));
    renameSync(temporary, this.path);
  }

  release(): void {
    rmSync(this.path, { force: true });
  }
}

/** Appears with its content or not at all: a link, unlike an exclusive open, is never seen half written. */
function createLock(path: string, record: LockRecord): boolean {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, JSON.stringify(record));
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readLock(path: string): LockRecord | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockRecord;
  } catch {
    return null;
  }
}

/** Takes a dead holder's lock away. Of two processes that do so, the later would take the earlier's fresh lock: it puts it back. */
function removeStaleLock(path: string, stale: LockRecord | null): ProcessIdentity[] {
  const taken = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, taken);
  } catch {
    return [];
  }
  const found = readLock(taken);
  const isStale = found?.pid === stale?.pid && found?.startedAt === stale?.startedAt;
  if (!isStale) linkBack(taken, path);
  rmSync(taken, { force: true });
  return isStale ? (stale?.children ?? []) : [];
}

function linkBack(taken: string, path: string): void {
  try {
    linkSync(taken, path);
  } catch {
    // Another process has taken the lock in the meantime.
  }
}
