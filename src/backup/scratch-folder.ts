import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { leavingNothing } from './leaving-nothing';

/** How their names begin; six characters follow. */
const PREFIX = '.greenroom-backup-';
const NAME = /^\.greenroom-backup-\w{6}$/;

/** Longer than a backup takes. */
const STALE_MS = 24 * 3_600_000;

/** Runs something with a separate folder in `place`, which is removed afterwards, as are those that a killed run has left a day ago. */
export async function inScratchFolder<T>(place: string, run: (folder: string) => Promise<T>): Promise<T> {
  removeStale(place);
  const folder = mkdtempSync(join(place, PREFIX));
  return leavingNothing(
    () => [folder],
    () => run(folder),
  );
}

function removeStale(place: string): void {
  for (const path of scratchFolders(place)) {
    try {
      if (Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { recursive: true, force: true });
    } catch {
      // It is another user's, or has just gone.
    }
  }
}

function scratchFolders(place: string): string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && NAME.test(entry.name))
      .map(({ name }) => join(place, name));
  } catch {
    // A folder may be one that can be written to and not read.
    return [];
  }
}
