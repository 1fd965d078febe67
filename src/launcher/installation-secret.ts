import { appSecretFile, createAppSecret, readAppSecret, readPreviousSecret } from '@app/config/app-secret';
import { readLatestEvents, signedSome } from '@app/database/audit/latest-events';
import { LaunchError } from './launch-error';

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

function refuseOther(
  secrets: (string | undefined)[],
  latest: Awaited<ReturnType<typeof readLatestEvents>>,
  place: string,
): void {
  const known = secrets.filter((secret) => secret !== undefined);
  if (signedSome(known, latest)) return;
  throw new LaunchError(
    `${place} does not fit the latest events of the audit log: it is the secret of another installation, or was changed. Set APP_SECRET to the secret that this installation has run with, or APP_SECRET_PREVIOUS if it was replaced on purpose: with this one alone, every further event would look like a forgery.`,
  );
}
