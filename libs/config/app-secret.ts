import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the secret of an installation without configuration is stored. */
export function appSecretFile(dataDir: string): string {
  return join(dataDir, 'app-secret');
}

/**
 * The generated `APP_SECRET` of a data folder; null when it has none.
 *
 * @throws when the file cannot be read, or holds something else
 */
export function readAppSecret(dataDir: string): string | null {
  return readSecret(appSecretFile(dataDir));
}

/** Where the replaced generated secret is stored. */
export function previousSecretFile(dataDir: string): string {
  return `${appSecretFile(dataDir)}.previous`;
}

/** The generated secret that the one of a data folder has replaced; null when there is none. */
export function readPreviousSecret(dataDir: string): string | null {
  return readSecret(previousSecretFile(dataDir));
}

/** Replaces the generated secret of a data folder; the one before it is stored beside it. */
export function replaceAppSecret(dataDir: string): void {
  const [path, next] = [appSecretFile(dataDir), `${appSecretFile(dataDir)}.next`];
  const previous = `${previousSecretFile(dataDir)}.tmp`;
  rmSync(next, { force: true });
  writeFileSync(next, newSecret(), { mode: 0o600, flush: true });
  writeFileSync(previous, readFileSync(path), { mode: 0o600, flush: true });
  renameSync(previous, previousSecretFile(dataDir));
  renameSync(next, path);
}

const newSecret = () => `${randomBytes(32).toString('base64url')}\n`;

function readSecret(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  if (text.length >= 32) return text;
  throw new Error(
    `${path} does not hold a secret of at least 32 characters. Restore it from a backup; a new one would end every session and would not fit the audit log.`,
  );
}

/**
 * Generates the secret of a data folder that has none: 256 random bits, in a file that only its owner reads. Safe to call from
 * several processes at once: all get the same secret.
 *
 * @param dataDir an existing folder
 * @throws when the folder cannot be written, or the file holds something else
 */
export function createAppSecret(dataDir: string): string {
  const path = appSecretFile(dataDir);
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, newSecret(), { mode: 0o600, flush: true });
  try {
    // A link, unlike a rename, does not replace the secret that another process has just written.
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readAppSecret(dataDir)!;
}
