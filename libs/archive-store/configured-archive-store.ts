import type { AppConfig } from '@app/config/app-config';
import { connectS3 } from '@app/object-store/object-store';
import { join, resolve } from 'node:path';
import type { ArchiveStore } from './archive-store';
import { FolderArchiveStore } from './folder-archive-store';
import { S3ArchiveStore } from './s3-archive-store';

/** The object store that audio is in, or without one the folder `archive` in DATA_DIR. */
export async function createArchiveStore({ s3, dataDir }: AppConfig): Promise<ArchiveStore> {
  return s3
    ? new S3ArchiveStore(await connectS3(s3), s3.bucket)
    : new FolderArchiveStore(archiveFolder(resolve(dataDir)));
}

/** Where archived files are in a DATA_DIR. */
export function archiveFolder(dataDir: string): string {
  return join(dataDir, 'archive');
}
