import type { ArchiveStore } from '@app/archive-store/archive-store';
import type { LedgerArchiveRepository } from '@app/database/credits/ledger-archive.repository';
import {
  ClosingSums,
  LedgerArchiveError,
  type ArchivedMonth,
  type ArchiveFile,
} from '@app/domain/credits/ledger-archive';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Lines of a file: some 35 MB of JSON, a tenth of that compressed. */
const FILE_LINES = 100_000;
/** Lines that are put back by one statement. */
const RESTORE_LINES = 5_000;
/** SQLSTATE of a lock that was waited for in vain. */
const LOCK_NOT_AVAILABLE = '55P03';

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
      await this.months.makeMonths(0);
      await this.requireArchivable(month);
      const files = await this.write(month);
      const lines = files.reduce((sum, file) => sum + file.lines, 0);
      for (const file of files) await this.read(file);
      if (!(await this.close({ month, lines, files })))
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
      await this.months.reopen(month, async (add) => {
        for (const file of archived.files) {
          const lines = await this.read(file);
          for (let from = 0; from < lines.length; from += RESTORE_LINES)
            await add(lines.slice(from, from + RESTORE_LINES));
        }
      });
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

  private async requireArchivable(month: string): Promise<void> {
    const found = (await this.months.listMonths()).find((each) => each.month === month);
    if (!found) throw refused(month, 'the ledger has no such month');
    if (!found.isOver) throw refused(month, 'billing periods that began in it have not ended');
    if ((await this.months.countHolds(month)) > 0)
      throw refused(month, 'it has holds that have not ended; a running worker ends them');
  }

  private async close(month: Omit<ArchivedMonth, 'archivedAt'>): Promise<boolean> {
    try {
      return await this.months.close(month);
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      throw refused(month.month, 'the ledger was busy for too long; run it again');
    }
  }

  private async write(month: string): Promise<ArchiveFile[]> {
    const files: ArchiveFile[] = [];
    await this.months.readLines(month, FILE_LINES, async (lines) => {
      const name = `ledger/${month}/${String(files.length + 1).padStart(5, '0')}.ndjson.gz`;
      const bytes = await compress(`${lines.join('\n')}\n`);
      await this.store.write(name, bytes);
      files.push({ name, lines: lines.length, bytes: bytes.length, sha256: digest(bytes) });
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

function refused(month: string, reason: string): LedgerArchiveError {
  return new LedgerArchiveError(`${month}: ${reason}.`);
}

function broken(file: string, reason: string): LedgerArchiveError {
  return new LedgerArchiveError(`The file ${file}: ${reason}.`);
}

function busy(month: string): never {
  throw refused(month, 'another process archives or restores at the moment');
}
