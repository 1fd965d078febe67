import { timeOfBackup } from '@app/domain/operations/backup-plan';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BackupStore, type StoredBackup } from './backup-store';

/** Backups in a folder, which only their owner reads. */
export class FolderBackupStore extends BackupStore {
  readonly place: string;
  readonly workFolderVariable = 'BACKUP_TO';

  constructor(folder: string) {
    super();
    this.place = resolve(folder);
  }

  get workFolder(): string {
    return this.place;
  }

  async prepare(): Promise<void> {
    try {
      await mkdir(this.place, { recursive: true, mode: 0o700 });
      const probe = join(this.place, '.greenroom-write-test');
      await (await open(probe, 'w', 0o600)).close();
      await rm(probe);
    } catch (error) {
      throw new Error(
        `BACKUP_TO ${this.place} cannot be written: ${(error as Error).message}. Make the folder and give it to the user of the worker, or set BACKUP_TO to another one.`,
        { cause: error },
      );
    }
  }

  async list(): Promise<StoredBackup[]> {
    if (!existsSync(this.place)) return [];
    const names = (await readdir(this.place)).filter((name) => timeOfBackup(name) !== null).sort();
    return Promise.all(
      names.map(async (name) => ({ name, bytes: (await stat(join(this.place, name))).size })),
    );
  }

  async put(name: string, file: string): Promise<void> {
    await syncPath(file);
    await rename(file, join(this.place, name));
    await syncPath(this.place);
  }

  async fetch(name: string): Promise<string | null> {
    const path = join(this.place, name);
    return existsSync(path) ? path : null;
  }

  async delete(name: string): Promise<void> {
    await rm(join(this.place, name), { force: true });
  }
}

/** Older backups are deleted afterwards: this one must be on the disk. */
async function syncPath(path: string): Promise<void> {
  const opened = await open(path);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
