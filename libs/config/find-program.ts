import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** The path of a program in the folders of a PATH, or undefined. */
export function findProgram(name: string, folders = ''): string | undefined {
  return folders
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** Every program of this name on the PATH of this process, and in other folders; each `*` there is any one folder. */
export function listPrograms(name: string, others: readonly string[]): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const found = [...folders, ...others.flatMap(expand)].map((folder) => join(folder, name)).filter(isProgram);
  return [...new Set(found)];
}

function expand(pattern: string): string[] {
  const [before, after] = pattern.split('*') as [string, string];
  const parent = before.endsWith('/') ? before : dirname(before);
  if (!existsSync(parent)) return [];
  const start = before.slice(parent.length).replace('/', '');
  return readdirSync(parent)
    .filter((entry) => entry.startsWith(start))
    .map((entry) => join(parent, entry, after));
}

/** Whether a path is that of a file which this process may run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
