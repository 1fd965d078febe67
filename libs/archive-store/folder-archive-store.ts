import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ArchiveStore } from './archive-store';

/** Files in a folder, which only their owner reads. */
export class FolderArchiveStore extends ArchiveStore {
  readonly place: string;

  constructor(folder: string) {
    super();
    this.place = resolve(folder);
  }

  async write(name: string, bytes: Buffer): Promise<void> {
    const path = join(this.place, name);
    const partial = `${path}.partial`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeToDisk(partial, bytes);
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    await syncFolders(dirname(path), dirname(this.place));
  }

  async read(name: string): Promise<Buffer | null> {
    try {
      return await readFile(join(this.place, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
}

/** What is deleted from the ledger afterwards must be on the disk. */
async function writeToDisk(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Writes the names of files and folders to the disk: those in `folder`, and in the folders that it is in, up to `top`. */
async function syncFolders(folder: string, top: string): Promise<void> {
  const opened = await open(folder);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
  if (folder !== top) await syncFolders(dirname(folder), top);
}
