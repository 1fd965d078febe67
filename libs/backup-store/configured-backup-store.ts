import type { AppConfig } from '@app/config/app-config';
import { ConfigError } from '@app/config/app-config';
import { VARIABLES } from '@app/config/variables';
import type { BackupStore } from './backup-store';
import { FolderBackupStore } from './folder-backup-store';

/**
 * Where scheduled backups are.
 *
 * @throws ConfigError when BACKUP_TO is not set
 */
export async function createBackupStore({ backupTo }: AppConfig): Promise<BackupStore> {
  if (backupTo === undefined)
    throw new ConfigError([`BACKUP_TO is not set; give ${VARIABLES.BACKUP_TO.accepted}.`]);
  return new FolderBackupStore(backupTo);
}
