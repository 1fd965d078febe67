import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file to grade, or a path at which there is none and why. */
export interface FoundRecording {
  path: string;
  problem: string | null;
}

/** What is taken from a folder; a file that is named is graded with any name. */
const EXTENSIONS = new Set([
  '.wav',
  '.mp3',
  '.flac',
  '.ogg',
  '.oga',
  '.opus',
  '.webm',
  '.mka',
  '.m4a',
  '.mp4',
  '.mov',
  '.3gp',
  '.aac',
  '.amr',
  '.awb',
  '.aif',
  '.aiff',
  '.wma',
]);

/** The recordings at some paths, in order; a folder stands for every recording in it and below, by name. */
export async function findRecordings(paths: string[]): Promise<FoundRecording[]> {
  return (await Promise.all(paths.map(findAt))).flat();
}

async function findAt(path: string): Promise<FoundRecording[]> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return await findInFolder(path);
    // A pipe or a device could keep its reader waiting for ever.
    return [{ path, problem: found.isFile() ? null : 'This is neither a file nor a folder.' }];
  } catch (error) {
    return [{ path, problem: describeFileError(error) }];
  }
}

async function findInFolder(folder: string): Promise<FoundRecording[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() && EXTENSIONS.has(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (paths.length > 0) return paths.map((path) => ({ path, problem: null }));
  return [{ path: folder, problem: `The folder has no ${[...EXTENSIONS].join(', ')} file in it.` }];
}

const FILE_ERRORS: Record<string, string> = {
  ENOENT: 'The file does not exist.',
  ENOTDIR: 'The file does not exist.',
  EACCES: 'This file may not be read.',
  EPERM: 'This file may not be read.',
  ELOOP: 'This link leads in a circle.',
  ENAMETOOLONG: 'The name is too long.',
};

/** Why a file cannot be read, for people. */
export function describeFileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return FILE_ERRORS[code] ?? `It cannot be read: ${message}.`;
}
