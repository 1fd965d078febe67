import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the secret of an installation without configuration is kept. */
export function appSecretFile(dataDir: string): string {
  return join(dataDir, 'app-secret');
}

/**
 * The generated `APP_SECRET` of a data folder: 256 random bits, generated at the first call and kept in a file that only its
 * owner reads. Safe to call from several processes at once: all get the same secret.
 *
 * @param dataDir an existing folder
 * @throws when the folder cannot be written, or the file holds something else
 */
export function readOrCreateAppSecret(dataDir: string): string {
  const path = appSecretFile(dataDir);
  return readSecret(path) ?? createSecret(path);
}

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

function createSecret(path: string): string {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    // A link, unlike a rename, does not replace the secret that another process has just written.
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  return readSecret(path)!;
}
