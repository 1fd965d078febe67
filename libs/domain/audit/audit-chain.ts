import { createHash, createHmac } from 'node:crypto';

/** One row of the audit log, as it enters the chain. Times are ISO 8601 in UTC with milliseconds. */
export interface AuditRow {
  /** Day of the chain, `YYYY-MM-DD` in UTC. */
  day: string;
  /** Position within the day, from 1. */
  seq: number;
  at: string;
  actorKind: string;
  actorId: string;
  actorName: string;
  actorRole: string | null;
  action: string;
  targetType: string;
  targetId: string;
  accountId: string | null;
  before: unknown;
  after: unknown;
  reason: string | null;
  address: string | null;
  requestId: string | null;
}

/** Where the chain of a day ends. */
export interface AuditHead {
  day: string;
  /** Rows of that day. */
  seq: number;
  /** Hash of its last row. */
  hash: string;
}

type ChainBreak =
  | 'the row was changed'
  | 'the row was signed with a secret that is not known here'
  | 'rows are missing before it'
  | 'rows are missing after it'
  | 'the rows of this day are missing'
  | 'the head of its day was changed';

export interface ChainProblem {
  day: string;
  seq: number;
  problem: ChainBreak;
}

/** What the first row of all is chained to. */
export const CHAIN_START = '0'.repeat(64);

const FIELDS = [
  'day',
  'seq',
  'at',
  'actorKind',
  'actorId',
  'actorName',
  'actorRole',
  'action',
  'targetType',
  'targetId',
  'accountId',
  'before',
  'after',
  'reason',
  'address',
  'requestId',
] as const satisfies (keyof AuditRow)[];

/**
 * Hash of a row: HMAC-SHA-256 over the hash before it and the row in canonical form. Each row vouches for all rows before
 * it; without the key no valid row can be written.
 *
 * @param key 32 bytes that the database does not know
 * @param previous hash of the row before, across days; `CHAIN_START` for the first row of all
 * @returns 64 hex characters
 */
export function chainHash(key: Buffer, previous: string, row: AuditRow): string {
  const fields = FIELDS.map((field) => row[field]);
  return createHmac('sha256', key).update(previous).update(canonicalJson(fields)).digest('hex');
}

/** Names the key that a row was signed with, and says nothing about it: 8 hex characters. */
export function chainKeyId(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/** The hash of a row, and the key that it was signed with; null for rows from before keys had ids. */
export interface RowSignature {
  hash: string;
  keyId: string | null;
}

/** JSON with the keys of every object sorted and without undefined values: the same text for the same content. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}

/** Follows a chain row by row and stops at the first row that does not fit. */
export class ChainVerifier {
  private day = '';
  private seq = 0;
  rows = 0;

  /**
   * @param keys those that rows may be signed with
   * @param heads where days are said to end: from the database, and from exports that were stored elsewhere
   * @param hash what the first row is chained to
   */
  constructor(
    private readonly keys: readonly Buffer[],
    private readonly heads: readonly AuditHead[],
    private hash: string = CHAIN_START,
  ) {}

  /** Checks the next row, in the order the rows were written. Null when it fits. */
  next(row: AuditRow, { hash, keyId }: RowSignature): ChainProblem | null {
    const sameDay = row.day === this.day;
    const before = sameDay ? null : (this.endOfDay() ?? this.missingDay(row.day));
    if (before) return before;
    const place = { day: row.day, seq: row.seq };
    const expectedSeq = sameDay ? this.seq + 1 : 1;
    if (row.seq !== expectedSeq) {
      return {
        ...place,
        problem: row.seq > expectedSeq ? 'rows are missing before it' : 'the row was changed',
      };
    }
    const keys = this.keys.filter((key) => keyId === null || chainKeyId(key) === keyId);
    if (keys.length === 0)
      return { ...place, problem: 'the row was signed with a secret that is not known here' };
    if (!keys.some((key) => chainHash(key, this.hash, row) === hash))
      return { ...place, problem: 'the row was changed' };
    if (this.heads.some((head) => head.day === row.day && head.seq === row.seq && head.hash !== hash)) {
      return { ...place, problem: 'the head of its day was changed' };
    }
    Object.assign(this, { hash, day: row.day, seq: row.seq, rows: this.rows + 1 });
    return null;
  }

  /** Checks what must hold after the last row. */
  end(): ChainProblem | null {
    return this.endOfDay() ?? this.missingDay('9999');
  }

  private knownHeads(day: string): readonly AuditHead[] {
    return this.heads.filter((head) => head.day === day);
  }

  private endOfDay(): ChainProblem | null {
    const longer = this.knownHeads(this.day).some((head) => head.seq > this.seq);
    return longer ? { day: this.day, seq: this.seq, problem: 'rows are missing after it' } : null;
  }

  /** A day that has a head and lies between the last row and the next one, but has no rows. */
  private missingDay(nextDay: string): ChainProblem | null {
    const days = this.heads.map((head) => head.day);
    const missing = days.filter((day) => day > this.day && day < nextDay).sort()[0];
    return missing === undefined
      ? null
      : { day: missing, seq: 1, problem: 'the rows of this day are missing' };
  }
}
