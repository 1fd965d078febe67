import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const FROM_TYPESCRIPT = __filename.endsWith('.ts');
const ROOT = join(__dirname, '..', '..', '..');
const DIST = FROM_TYPESCRIPT ? join(ROOT, 'dist') : ROOT;

/**
 * The compiled JavaScript file that a worker thread starts from.
 *
 * The bundle has each, where there is one. Otherwise compiled code finds its neighbour in the same folder; code that runs from
 * TypeScript (tests) finds the build of the same file under `dist/`, because a worker thread cannot load TypeScript.
 *
 * @param folder `__dirname` of the caller
 * @param name file name without extension, for example `measure.thread`
 */
export function threadEntry(folder: string, name: string): string {
  const bundled = join(DIST, 'bundle', `${name}.js`);
  return existsSync(bundled) ? bundled : join(DIST, relative(ROOT, folder), `${name}.js`);
}
