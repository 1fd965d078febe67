import { CHAIN_START, chainHash, type AuditRow } from '@app/domain/audit/audit-chain';
import { deriveKey } from '@app/domain/common/derived-key';
import { PostgresClient } from '../common/postgres-client';

/** An event of the audit log, whose time the driver returns as a date, and the hash that it is chained to. */
type ChainedEvent = Omit<AuditRow, 'at'> & { at: Date; hash: string; previous: string | null };

/** So many at the end of the log: one that was changed in the database does not make a secret the wrong one. */
const LATEST = 20;

/** The latest events of the audit log of a database, none where it has no tables yet. */
export async function readLatestEvents(databaseUrl: string): Promise<ChainedEvent[]> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ events: string | null }>(
      `SELECT to_regclass('audit_event')::text AS events`,
    );
    if (!tables[0]?.events) return [];
    const { rows } = await client.query<ChainedEvent>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, seq, at, actor_kind AS "actorKind", actor_id AS "actorId",
         actor_name AS "actorName", actor_role AS "actorRole", action, target_type AS "targetType",
         target_id AS "targetId", account_id AS "accountId", before, after, reason, address, request_id AS "requestId", hash,
         lead(hash) OVER (ORDER BY e.day DESC, e.seq DESC) AS previous
       FROM (SELECT * FROM audit_event ORDER BY day DESC, seq DESC LIMIT $1) e
       ORDER BY e.day DESC, e.seq DESC`,
      [LATEST + 1],
    );
    // The event before the oldest of these was not read.
    return rows.slice(0, LATEST);
  } finally {
    await client.end();
  }
}

/** Whether one of these secrets signed one of the events; also where there are no events, which any secret may begin. */
export function signedSome(secrets: readonly string[], events: readonly ChainedEvent[]): boolean {
  return events.length === 0 || events.some((event) => secrets.some((secret) => isSignedWith(secret, event)));
}

function isSignedWith(secret: string, { hash, previous, at, ...row }: ChainedEvent): boolean {
  const key = deriveKey(secret, 'audit chain');
  return chainHash(key, previous ?? CHAIN_START, { ...row, at: at.toISOString() }) === hash;
}
