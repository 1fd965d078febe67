import { appSecretFile, createAppSecret, readAppSecret } from '@app/config/app-secret';
import { PostgresClient } from '@app/database/common/postgres-client';
import { CHAIN_START, chainHash, type AuditRow } from '@app/domain/audit/audit-chain';
import { deriveKey } from '@app/domain/common/derived-key';
import { LaunchError } from './launch-error';

/** An event of the audit log, whose time the driver returns as a date. */
type FirstEvent = Omit<AuditRow, 'at'> & { at: Date; hash: string };

/**
 * The secret of an installation without APP_SECRET, from DATA_DIR: the one that the first event of its audit log was signed
 * with. With another one, every later event would break the chain.
 *
 * @param databaseUrl its database, which may be empty
 * @param options.create generate one where there is none, for a database without events
 * @throws LaunchError when DATA_DIR has no secret, or that of another installation
 */
export async function storedSecret(
  dataDir: string,
  databaseUrl: string,
  { create }: { create: boolean },
): Promise<string> {
  const secret = readAppSecret(dataDir);
  const first = await readFirstEvent(databaseUrl);
  if (secret !== null && (!first || isSignedWith(secret, first))) return secret;
  if (secret === null && !first && create) return createAppSecret(dataDir);
  throw new LaunchError(
    secret === null
      ? `APP_SECRET is not set, and ${appSecretFile(dataDir)} does not exist. Set APP_SECRET to the secret that this installation has run with, or restore the file from a backup: a new secret would break the audit log.`
      : `${appSecretFile(dataDir)} does not fit the first event of the audit log: it is the secret of another installation, or the event was changed. Set APP_SECRET to the secret that this installation began with.`,
  );
}

function isSignedWith(secret: string, { hash, at, ...row }: FirstEvent): boolean {
  const key = deriveKey(secret, 'audit chain');
  return chainHash(key, CHAIN_START, { ...row, at: at.toISOString() }) === hash;
}

async function readFirstEvent(databaseUrl: string): Promise<FirstEvent | undefined> {
  const client = new PostgresClient({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows: tables } = await client.query<{ events: string | null }>(
      `SELECT to_regclass('audit_event')::text AS events`,
    );
    if (!tables[0]?.events) return undefined;
    const { rows } = await client.query<FirstEvent>(
      `SELECT to_char(day, 'YYYY-MM-DD') AS day, seq, at, actor_kind AS "actorKind", actor_id AS "actorId",
         actor_name AS "actorName", actor_role AS "actorRole", action, target_type AS "targetType",
         target_id AS "targetId", account_id AS "accountId", before, after, reason, address, request_id AS "requestId", hash
       FROM audit_event e ORDER BY e.day, e.seq LIMIT 1`,
    );
    return rows[0];
  } finally {
    await client.end();
  }
}
