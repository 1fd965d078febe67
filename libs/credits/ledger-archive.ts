import type { ArchiveStore } from '@app/archive-store/archive-store';
import type { LedgerArchiveRepository } from '@app/database/credits/ledger-archive.repository';
import {
  ClosingSums,
  LedgerArchiveError,
  type ArchivedMonth,
  type ArchiveFile,
} from '@app/domain/credits/ledger-archive';
import { isOfFullDisk } from '@app/domain/common/full-disk';
import { reasonOfStore } from '@app/object-store/object-store';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Lines of a file: some 35 MB of JSON, a tenth of that compressed. */
const FILE_LINES = 100_000;
/** Lines that are put back by one statement. */
const RESTORE_LINES = 5_000;
/** SQLSTATE of a lock that was waited for in vain, and of a deadlock. */
const LOCKED = new Set(['55P03', '40P01']);

/** Moves months of the ledger into files and back, and proves the files. */
export class LedgerArchive {
  constructor(
    private readonly months: LedgerArchiveRepository,
    private readonly store: ArchiveStore,
  ) {}

  /**
   * Writes the lines of a month to files, reads these back, and deletes the lines, keeping what they add up to. What ends
   * before the last step has changed nothing, and can be run again.
   *
   * @param month as 2026-01
   * @throws LedgerArchiveError with the reason why it is not archived
   */
  async archive(month: string): Promise<ArchivedMonth> {
    const archived = await this.months.alone(async () => {
      await unlessLocked(month, () => this.months.makeMonths(0));
      const obstacle = await this.findObstacle(month);
      if (obstacle !== null) throw refused(month, obstacle);
      const files = await this.write(month);
      const lines = files.reduce((sum, file) => sum + file.lines, 0);
      for (const file of files) await this.read(file);
      if (!(await unlessLocked(month, () => this.months.close({ month, lines, files }))))
        throw refused(month, 'lines were added meanwhile; run it again');
      return { month, lines, files, archivedAt: new Date() };
    });
    return archived ?? busy(month);
  }

  /**
   * Puts an archived month back into the ledger. The files stay.
   *
   * @param month as 2026-01
   * @throws LedgerArchiveError when it is not archived, or its files are not what they were
   */
  async restore(month: string): Promise<ArchivedMonth> {
    const restored = await this.months.alone(async () => {
      const archived = (await this.months.listArchived()).find((each) => each.month === month);
      if (!archived) throw refused(month, 'it is not archived');
      await unlessLocked(month, () =>
        this.months.reopen(month, async (add) => {
          for (const file of archived.files) {
            const lines = await this.read(file);
            for (let from = 0; from < lines.length; from += RESTORE_LINES)
              await add(lines.slice(from, from + RESTORE_LINES));
          }
        }),
      );
      return archived;
    });
    return restored ?? busy(month);
  }

  /** What is wrong with the files of an archived month: a checksum, or what their lines add up to; null when nothing is. */
  async findProblem({ month, files }: ArchivedMonth): Promise<string | null> {
    const sums = new ClosingSums();
    try {
      for (const file of files) for (const line of await this.read(file)) sums.add(line);
    } catch (error) {
      return (error as Error).message;
    }
    return sums.findDifference(await this.months.listClosings(month));
  }

  /** Why a month cannot be archived now; null when it can. */
  async findObstacle(month: string): Promise<string | null> {
    const found = (await this.months.listMonths()).find((each) => each.month === month);
    if (!found) return 'the ledger has no such month';
    if (!found.isOver) return 'billing periods that began in it, or the ones after those, have not ended';
    if ((await this.months.countHolds(month)) > 0)
      return 'it has holds that have not ended; a running worker ends them';
    return null;
  }

  private async write(month: string): Promise<ArchiveFile[]> {
    const files: ArchiveFile[] = [];
    await this.months.readLines(month, FILE_LINES, async (lines) => {
      const bytes = await compress(`${lines.join('\n')}\n`);
      const sha256 = digest(bytes);
      // Its digest is in the name: a month that is archived again replaces no file that an older backup of the database needs.
      const number = String(files.length + 1).padStart(5, '0');
      const name = `ledger/${month}/${number}-${sha256.slice(0, 16)}.ndjson.gz`;
      await this.store.write(name, bytes).catch((error: unknown) => {
        const reason = isOfFullDisk(error) ? 'the disk is full' : reasonOfStore(error);
        throw refused(
          month,
          `${this.store.place} cannot be written: ${reason}. No line was deleted from the ledger; repair that, and run it again`,
        );
      });
      files.push({ name, lines: lines.length, bytes: bytes.length, sha256 });
    });
    return files;
  }

  /** The lines of a file, when its bytes are those that were written. */
  private async read({ name, sha256, lines }: ArchiveFile): Promise<string[]> {
    const bytes = await this.store.read(name);
    if (bytes === null) throw broken(name, `it is not in ${this.store.place}`);
    if (digest(bytes) !== sha256) throw broken(name, 'its bytes are not those that were written');
    const found = (await decompress(bytes)).toString('utf8').trimEnd().split('\n');
    if (found.length !== lines) throw broken(name, `it has ${found.length} lines instead of ${lines}`);
    return found;
  }
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Changes the ledger, or says that charges and refunds held it for too long; nothing is changed then. */
async function unlessLocked<T>(month: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!LOCKED.has((error as { code?: string }).code ?? '')) throw error;
    throw refused(month, 'the ledger was busy for too long; run it again');
  }
}

function refused(month: string, reason: string): LedgerArchiveError {
  return new LedgerArchiveError(`${month}: ${reason}.`);
}

function broken(file: string, reason: string): LedgerArchiveError {
  return new LedgerArchiveError(`The file ${file}: ${reason}.`);
}

function busy(month: string): never {
  throw refused(month, 'another process archives or restores at the moment');
}
