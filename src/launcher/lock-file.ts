import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { LaunchError, reasonOf } from './launch-error';
import { giveToFolderOwner } from './private-file';

/** Room for a record: written over, it needs no further space on a full disk, and a reader sees the old or the new one. */
const RECORD_BYTES = 4096;

/** A file that one process at a time may lock, and in which it writes who it is. The file is never replaced or deleted. */
export class LockFile {
  private constructor(
    readonly path: string,
    /** A process that inherits it holds the lock as well. */
    readonly descriptor: number,
  ) {}

  /** @throws LaunchError when the file cannot be opened */
  static open(path: string): LockFile {
    try {
      const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      giveToFolderOwner(path);
      return new LockFile(path, descriptor);
    } catch (error) {
      throw new LaunchError(`The lock ${path} cannot be opened: ${reasonOf(error)}.`, { cause: error });
    }
  }

  /** What the last holder wrote, and which file it is in; null when that is not JSON. */
  static read(path: string): { record: unknown; file: string } | null {
    try {
      return { record: JSON.parse(readFileSync(path, 'utf8')), file: identityOf(statSync(path)) };
    } catch {
      return null;
    }
  }

  /** Distinguishes this file from a copy of it. */
  get identity(): string {
    return identityOf(fstatSync(this.descriptor));
  }

  /**
   * Locks the file until this process, and every process that inherited the descriptor, is gone: the kernel keeps the lock,
   * for all processes on it, whichever container they are in.
   *
   * @returns whether the lock was free
   */
  tryLock(): boolean {
    try {
      return lockFunction()(this.descriptor);
    } catch (error) {
      throw new LaunchError(`${this.path} cannot be locked: ${reasonOf(error)}.`, { cause: error });
    }
  }

  write(record: unknown): void {
    const text = Buffer.from(`${JSON.stringify(record).padEnd(RECORD_BYTES - 1)}\n`);
    writeSync(this.descriptor, text, 0, text.length, 0);
    ftruncateSync(this.descriptor, text.length);
    fsyncSync(this.descriptor);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Loaded when it is needed: a system without it can still run what locks nothing. */
function lockFunction(): (descriptor: number) => boolean {
  const { tryLock } = require('fs-native-extensions') as { tryLock: (descriptor: number) => boolean };
  return tryLock;
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
