import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of package.json, seen from the build and from TypeScript (tests). */
export const PROJECT_ROOT = join(__dirname, __filename.endsWith('.ts') ? '../..' : '../../..');

interface PackageInfo {
  version: string;
  engines: { node: string };
}

export const PACKAGE = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as PackageInfo;
