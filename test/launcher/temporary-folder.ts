import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that PostgreSQL's user can enter when the suite runs as root. The caller removes it. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-launcher-'));
  chmodSync(folder, 0o755);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
