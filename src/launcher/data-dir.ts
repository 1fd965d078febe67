import { accessSync, chmodSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { LaunchError, reasonOf } from './launch-error';

/**
 * Makes DATA_DIR when it is missing and makes sure that it can be written.
 *
 * @returns its absolute path
 * @throws LaunchError naming the folder and what is wrong with it
 */
export function prepareDataDir(input: string): string {
  const dataDir = resolve(input);
  try {
    if (!existsSync(dataDir)) createDataDir(dataDir);
    const probe = join(dataDir, `.write-test-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    accessSync(dataDir, constants.R_OK | constants.X_OK);
    return dataDir;
  } catch (error) {
    throw new LaunchError(
      `DATA_DIR ${dataDir} cannot be written by user ${userName()}: ${reasonOf(error)}. Set DATA_DIR to a folder that can.`,
      { cause: error },
    );
  }
}

/** Started by root, PostgreSQL runs as another user, who has to pass through the folder; every file in it is private. */
function createDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
