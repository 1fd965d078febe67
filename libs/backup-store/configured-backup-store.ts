import type { AppConfig } from '@app/config/app-config';
import { ConfigError } from '@app/config/app-config';
import { VARIABLES } from '@app/config/variables';
import type { BackupStore } from './backup-store';
import { FolderBackupStore } from './folder-backup-store';
import { S3BackupStore } from './s3-backup-store';

/**
 * Where scheduled backups are.
 *
 * @throws ConfigError when BACKUP_TO is not set
 */
export async function createBackupStore({ backupTo, backupS3 }: AppConfig): Promise<BackupStore> {
  if (backupTo === undefined)
    throw new ConfigError([`BACKUP_TO is not set; give ${VARIABLES.BACKUP_TO.accepted}.`]);
  return backupS3 ? S3BackupStore.connect(backupS3) : new FolderBackupStore(backupTo);
}
