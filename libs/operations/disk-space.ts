import { archiveFolder } from '@app/archive-store/configured-archive-store';
import type { AppConfig } from '@app/config/app-config';
import type { FreeSpaceRepository } from '@app/database/common/free-space.repository';
import { daysUntilFull, type FreeSpace } from '@app/domain/operations/operation-check';
import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { resolve } from 'node:path';

type Measured = Omit<FreeSpace, 'fullInDays'>;

/** Free space of the folders that this machine writes to, one for each file system; the disk of a database elsewhere is not seen from here. */
export async function measureSpace({ dataDir }: AppConfig): Promise<Measured[]> {
  const home = resolve(dataDir);
  const folders = [home, archiveFolder(home), tmpdir()].filter((folder) => existsSync(folder));
  const measured = new Map<number, Measured>();
  for (const folder of folders) {
    const { dev } = await stat(folder);
    if (measured.has(dev)) continue;
    const { bavail, blocks, bsize } = await statfs(folder);
    measured.set(dev, { folder, freeBytes: bavail * bsize, totalBytes: blocks * bsize });
  }
  return [...measured.values()];
}

/** The same, with the days until each is full at its pace. */
export async function readSpace(config: AppConfig, history: FreeSpaceRepository): Promise<FreeSpace[]> {
  const spaces = await measureSpace(config);
  return Promise.all(
    spaces.map(async (space) => {
      const samples = await history.list(hostname(), space.folder);
      const now = { at: new Date(), freeBytes: space.freeBytes };
      return { ...space, fullInDays: daysUntilFull([...samples, now]) };
    }),
  );
}
