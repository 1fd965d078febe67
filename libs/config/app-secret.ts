import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the secret of an installation without configuration is kept. */
export function appSecretFile(dataDir: string): string {
  return join(dataDir, 'app-secret');
}

/**
 * The generated `APP_SECRET` of a data folder; null when it has none.
 *
 * @throws when the file cannot be read, or holds something else
 */
export function readAppSecret(dataDir: string): string | null {
  const path = appSecretFile(dataDir);
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
  writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
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
