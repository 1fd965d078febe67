import { join, relative } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

/**
 * The compiled JavaScript file that a worker thread starts from.
 *
 * Compiled code finds its neighbour in the same folder; code that runs from TypeScript (tests) finds the build of the
 * same file under `dist/`, because a worker thread cannot load TypeScript.
 *
 * @param folder `__dirname` of the caller
 * @param name file name without extension, for example `measure.thread`
 */
export function threadEntry(folder: string, name: string): string {
  const fromTypeScript = __filename.endsWith('.ts');
  return fromTypeScript
    ? join(ROOT, 'dist', relative(ROOT, folder), `${name}.js`)
    : join(folder, `${name}.js`);
}
