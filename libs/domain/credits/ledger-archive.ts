/** How many months after this one the ledger has partitions for. A line without one goes to a separate partition. */
export const LEDGER_MONTHS_AHEAD = 3;

/** Why a month was not archived or restored, or what is wrong with its files. */
export class LedgerArchiveError extends Error {}

/** A file with lines of an archived month: JSON, a line each, compressed by gzip. */
export interface ArchiveFile {
  name: string;
  lines: number;
  /** Compressed. */
  bytes: number;
  /** Of the compressed bytes, hex. */
  sha256: string;
}

/** A month of the ledger whose lines are in files. */
export interface ArchivedMonth {
  /** As 2026-01. */
  month: string;
  lines: number;
  files: ArchiveFile[];
  archivedAt: Date;
}

/** What the lines of an account or a key in a billing period add up to; credits as digits, because they may be many. */
export interface ClosingSum {
  subjectId: string;
  periodStart: Date;
  used: string;
  granted: string;
  lines: number;
}

/** What adding up needs of an archived line. */
interface SummedLine {
  account_id: string;
  key_id: string | null;
  maker_ids: string[] | null;
  period_start: string;
  kind: string;
  amount: number;
}

/** Adds archived lines up, as the balances were. */
export class ClosingSums {
  private readonly sums = new Map<string, { used: bigint; granted: bigint; lines: number }>();

  /** @param text a line as it is in a file */
  add(text: string): void {
    const line = JSON.parse(text) as SummedLine;
    const subjects = [line.account_id, line.key_id, ...(line.maker_ids ?? [])];
    for (const subject of subjects) {
      if (subject === null) continue;
      const name = nameOf(subject, new Date(line.period_start));
      const sum = this.sums.get(name) ?? { used: 0n, granted: 0n, lines: 0 };
      if (line.kind === 'grant') sum.granted -= BigInt(line.amount);
      else sum.used += BigInt(line.amount);
      sum.lines += 1;
      this.sums.set(name, sum);
    }
  }

  /** The first account or key for which these are not the stored sums, and how they differ; null when all agree. */
  findDifference(stored: readonly ClosingSum[]): string | null {
    const left = new Map(this.sums);
    for (const { subjectId, periodStart, used, granted, lines } of stored) {
      const name = nameOf(subjectId, periodStart);
      const sum = left.get(name) ?? { used: 0n, granted: 0n, lines: 0 };
      left.delete(name);
      if (sum.used === BigInt(used) && sum.granted === BigInt(granted) && sum.lines === lines) continue;
      return `${name}: used ${sum.used} in the files and ${used} at the closing, granted ${sum.granted} and ${granted}, lines ${sum.lines} and ${lines}`;
    }
    const [extra] = left.keys();
    return extra === undefined ? null : `${extra} is in the files and was not closed`;
  }
}

function nameOf(subjectId: string, periodStart: Date): string {
  return `${subjectId}, period from ${periodStart.toISOString()}`;
}

/** Whether a month is older than the last `storedMonths`, which count from the month of `now`. */
export function isPastKeeping(month: string, storedMonths: number, now: Date): boolean {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const age = (now.getUTCFullYear() - year) * 12 + now.getUTCMonth() + 1 - number;
  return age > storedMonths;
}
