import { appSecretFile, createAppSecret, readAppSecret, readPreviousSecret } from '@app/config/app-secret';
import { PostgresClient } from '@app/database/common/postgres-client';
import { CHAIN_START, chainHash, type AuditRow } from '@app/domain/audit/audit-chain';
import { deriveKey } from '@app/domain/common/derived-key';
import { LaunchError } from './launch-error';

/** An event of the audit log, whose time the driver returns as a date, and the hash that it is chained to. */
type ChainedEvent = Omit<AuditRow, 'at'> & { at: Date; hash: string; previous: string | null };

/** So many at the end of the log: one that was changed in the database does not make a secret the wrong one. */
const LATEST = 20;

export interface SecretOptions {
  /** Generate one where there is none, for a database without events. */
  create: boolean;
  /** False for a command that examines the audit log with APP_SECRET, whichever that is. */
  check?: boolean;
  /** APP_SECRET_PREVIOUS. */
  previous?: string;
}

/** The secret of an installation, and the one that it has replaced and still reads with. */
export interface InstallationSecret {
  secret: string;
  previous?: string;
}

/**
 * The secret of an installation: APP_SECRET, or else the one in DATA_DIR. The latest events of its audit log were signed with
 * it; with another one, every later event would break the chain.
 *
 * @param input APP_SECRET
 * @param databaseUrl its database, which may be empty
 * @throws LaunchError when there is none, or it is that of another installation
 */
export async function installationSecret(
  input: string | undefined,
  dataDir: string,
  databaseUrl: string,
  { create, check = true, previous }: SecretOptions,
): Promise<InstallationSecret> {
  const secret = input ?? readAppSecret(dataDir);
  const earlier = previous ?? (input === undefined ? readPreviousSecret(dataDir) : null) ?? undefined;
  const latest = await readLatestEvents(databaseUrl);
  if (secret === null && latest.length === 0 && create)
    return { secret: createAppSecret(dataDir), previous: earlier };
  if (secret === null) {
    throw new LaunchError(
      `APP_SECRET is not set, and ${appSecretFile(dataDir)} does not exist. Set APP_SECRET to the secret that this installation has run with, or restore the file from a backup: a new secret would break the audit log.`,
    );
  }
  if (check || input === undefined)
    refuseOther([secret, earlier], latest, input === undefined ? appSecretFile(dataDir) : 'APP_SECRET');
  return { secret, previous: earlier };
}

/**
 * For a process that waits for its database anyway: one that does not respond, or has no tables yet, is not a reason to refuse.
 *
 * @throws LaunchError when the latest events of the audit log were signed with another APP_SECRET
 */
export async function refuseOtherSecret(
  { secret, previous }: InstallationSecret,
  databaseUrl: string,
): Promise<void> {
  refuseOther([secret, previous], await readLatestEvents(databaseUrl).catch(() => []), 'APP_SECRET');
}

function refuseOther(secrets: (string | undefined)[], latest: ChainedEvent[], place: string): void {
  const known = secrets.filter((secret) => secret !== undefined);
  if (latest.length === 0 || latest.some((event) => known.some((secret) => isSignedWith(secret, event))))
    return;
  throw new LaunchError(
    `${place} does not fit the latest events of the audit log: it is the secret of another installation, or was changed. Set APP_SECRET to the secret that this installation has run with, or APP_SECRET_PREVIOUS if it was replaced on purpose: with this one alone, every further event would look like a forgery.`,
  );
}

function isSignedWith(secret: string, { hash, previous, at, ...row }: ChainedEvent): boolean {
  const key = deriveKey(secret, 'audit chain');
  return chainHash(key, previous ?? CHAIN_START, { ...row, at: at.toISOString() }) === hash;
}

async function readLatestEvents(databaseUrl: string): Promise<ChainedEvent[]> {
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
