import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of package.json, seen from the build and from TypeScript (tests). */
export const PROJECT_ROOT = join(__dirname, __filename.endsWith('.ts') ? '../..' : '../../..');

interface PackageInfo {
  version: string;
  engines: { node: string };
  /** Written by the build where it knows it. */
  commit?: string;
}

const COMMIT_FILE = join(PROJECT_ROOT, 'dist/commit');

export const PACKAGE: PackageInfo = {
  ...(JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as PackageInfo),
  ...(existsSync(COMMIT_FILE) && { commit: readFileSync(COMMIT_FILE, 'utf8').trim() }),
};
