import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DISK_DEVICE } from './leftovers';

const PIECE = Buffer.alloc(65_536);

/** A folder of a test's own; with a size, it is a disk that can be full, which takes the right to mount. */
export class TemporaryFolder {
  private constructor(
    readonly path: string,
    private readonly isDisk: boolean,
  ) {}

  static make(prefix: string, sizeMb?: number): TemporaryFolder {
    const path = mkdtempSync(join(tmpdir(), prefix));
    if (sizeMb !== undefined)
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, DISK_DEVICE, path]);
    // As root a server may run as another user, who must be able to enter.
    chmodSync(path, 0o755);
    return new TemporaryFolder(path, sizeMb !== undefined);
  }

  private get filler(): string {
    return join(this.path, 'filler');
  }

  /** Leaves no byte free on the disk. */
  fill(): void {
    if (!this.isDisk) throw new Error('only a folder with a size can be filled');
    const file = openSync(this.filler, 'a');
    try {
      for (;;) writeSync(file, PIECE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.filler, { force: true });
  }

  remove(): void {
    if (this.isDisk) execFileSync('umount', ['--lazy', this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}
