import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LaunchError } from './launch-error';
import { LockFile } from './lock-file';
import { endProcess, SERVER_SIGNALS } from './postgres-leftovers';
import {
  identifyProcess,
  isSamePlace,
  isSameProcessRunning,
  processPlace,
  type ProcessIdentity,
  type ProcessPlace,
} from './process-identity';

/** What the holder of a DATA_DIR writes about itself. */
interface LockRecord extends ProcessIdentity {
  /** Missing in a record of an earlier release, which locks nothing. */
  place?: ProcessPlace;
  /** The file that the record was written to: a copy of a DATA_DIR has the record of the original. */
  file?: string;
  /** Where the api can be reached, once that is known. */
  baseUrl?: string;
  /** The embedded server: it holds the lock as well, and is in `postmaster.pid` until it has stopped in order. */
  server?: ProcessIdentity;
  /** Other processes that must not outlive the holder. */
  children: ProcessIdentity[];
}

const CHILD_SIGNALS = [{ signal: 'SIGTERM' as const, graceMs: 10_000 }];
/** How long the kernel may take to close the files of processes that have just ended. */
const RELEASE_MS = 10_000;
const POLL_MS = 50;

/**
 * The right to run on a DATA_DIR. The kernel keeps it for the holder and for the server that inherits it, and frees it as soon
 * as all of them are gone: also those in another container are seen, whose processes are not.
 */
export class DataDirLock {
  private record: LockRecord;

  private constructor(
    private readonly file: LockFile,
    private readonly earlier: LockRecord | null,
  ) {
    const self = identifyProcess(process.pid) ?? { pid: process.pid, startedAt: '' };
    this.record = { ...self, place: processPlace(), file: file.identity, children: [] };
    if (earlier?.server) this.record.server = earlier.server;
    file.write(this.record);
  }

  /**
   * Ends what a holder that was killed has left running in this container, and takes the lock.
   *
   * @throws LaunchError naming the process that holds it
   */
  static async acquire(dataDir: string, onNote: (note: string) => void): Promise<DataDirLock> {
    const path = lockPath(dataDir);
    const file = LockFile.open(path);
    try {
      const earlier = asRecord(LockFile.read(path)?.record);
      await takeOver(file, dataDir, onNote);
      return new DataDirLock(file, earlier);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** The process in this container that runs on this DATA_DIR now, or null. */
  static holder(dataDir: string): LockRecord | null {
    const record = readRecord(lockPath(dataDir));
    return record && isSameProcessRunning(record) ? record : null;
  }

  /** For the server to inherit. */
  get descriptor(): number {
    return this.file.descriptor;
  }

  update(values: Partial<Pick<LockRecord, 'baseUrl' | 'children' | 'server' | 'startedAt'>>): void {
    this.record = { ...this.record, ...values };
    this.file.write(this.record);
  }

  /**
   * Whether a server with this pid has certainly ended, now that the lock is held: it held the lock, or ran before the machine
   * was last started. Any other one may still run where this process cannot see it.
   */
  hasOutlived(serverPid: number): boolean {
    const { server, place, startedAt } = this.earlier ?? this.record;
    const boot = place?.boot ?? startedAt.split('/')[0];
    return [server?.pid, this.record.server?.pid].includes(serverPid) || boot !== processPlace().boot;
  }

  release(): void {
    try {
      this.update({ startedAt: '' });
    } catch {
      // A full disk. The process is about to end, and the lock with it.
    }
    this.file.close();
  }
}

const lockPath = (dataDir: string) => join(dataDir, 'launcher.lock');

/** The last holder's record; null for that of another folder, of which this one is a copy. */
function readRecord(path: string): LockRecord | null {
  const found = LockFile.read(path);
  const record = asRecord(found?.record);
  return record?.file === undefined || record.file === found?.file ? record : null;
}

function asRecord(found: unknown): LockRecord | null {
  const record = found as Partial<LockRecord> | null | undefined;
  const isComplete = typeof record?.pid === 'number' && typeof record.startedAt === 'string';
  return isComplete ? ({ children: [], ...record } as LockRecord) : null;
}

async function takeOver(file: LockFile, dataDir: string, onNote: (note: string) => void): Promise<void> {
  for (let deadline = 0; ;) {
    const isLocked = file.tryLock();
    const holder = readRecord(file.path);
    const isHere = holder !== null && isSamePlace(holder.place);
    // It holds the lock, or is of an earlier release.
    if (isHere && isSameProcessRunning(holder)) throw alreadyRunning(dataDir, holder);
    if (isHere) await endLeftovers(holder, onNote);
    if (isLocked) return;
    deadline ||= Date.now() + RELEASE_MS;
    if (!isHere || Date.now() > deadline) throw alreadyRunning(dataDir, holder);
    await delay(POLL_MS);
  }
}

/** The server last: the others need it to finish what they do. */
async function endLeftovers({ server, children }: LockRecord, onNote: (note: string) => void): Promise<void> {
  const left = children.filter(isSameProcessRunning);
  if (left.length > 0) {
    onNote(`an earlier run was killed: stopping what it left behind (${left.length} processes)`);
    await Promise.all(left.map((child) => endProcess(child, CHILD_SIGNALS)));
  }
  if (!server || !isSameProcessRunning(server)) return;
  await endProcess(server, SERVER_SIGNALS);
  onNote(`stopped a server (pid ${server.pid}) that an earlier run has left behind`);
}

function alreadyRunning(dataDir: string, holder: LockRecord | null): LaunchError {
  return new LaunchError(
    `Greenroom is already running on ${dataDir} (${describeHolder(holder)}). Stop it first, or set another DATA_DIR.`,
  );
}

function describeHolder(holder: LockRecord | null): string {
  if (!holder) return 'a process that has not written yet which one it is';
  if (!holder.place || isSamePlace(holder.place)) return `pid ${holder.pid}`;
  const where =
    holder.place.boot === processPlace().boot ? 'in another container of this machine' : 'on another machine';
  return `${where}: host ${holder.place.host}, pid ${holder.pid} there`;
}
