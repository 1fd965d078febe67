import type { DataSource } from 'typeorm';
import { isStatementTimeout } from '../common/statement-timeout';

/** A recording that may be the same one as another. */
export interface Candidate {
  /** Digest of the audio, or the voice on the no-go list. */
  id: string;
  steps: Buffer;
}

/** As many recordings as are compared with a new one: those that share most. */
export const MOST_CANDIDATES = 20;
/** Longer than this, no review waits for others of its kind. */
const SEARCH_MS = 1_000;

/**
 * Looks for recordings by the index of their keys.
 *
 * @param sql selects candidates; $1 are the lookups
 * @returns null when the search takes longer than a second
 */
export async function searchByKeys(
  dataSource: DataSource,
  sql: string,
  lookups: Int32Array,
  ...values: unknown[]
): Promise<Candidate[] | null> {
  try {
    return await dataSource.transaction(async (em) => {
      // PostgreSQL takes hundreds of rare keys for most recordings, and would read them all in place of the index.
      await em.query(`SET LOCAL statement_timeout = ${SEARCH_MS}; SET LOCAL enable_seqscan = off`);
      return em.query<Candidate[]>(sql, [Array.from(lookups), ...values]);
    });
  } catch (error) {
    if (isStatementTimeout(error)) return null;
    throw error;
  }
}
