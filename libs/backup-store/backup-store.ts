/** A backup that is there. */
export interface StoredBackup {
  name: string;
  bytes: number;
}

/** Where backups are: files that are written once, by one process at a time. */
export abstract class BackupStore {
  /** Where they are, as people read it. */
  abstract readonly place: string;

  /** The folder on this machine in which a backup is prepared, and the variable that says which it is. */
  abstract readonly workFolder: string;
  abstract readonly workFolderVariable: 'BACKUP_TO' | 'TMPDIR';

  /**
   * Makes sure that a backup can be written, before one is made.
   *
   * @param note called with what else is wrong there
   * @throws Error that says what to do
   */
  abstract prepare(note: (text: string) => void): Promise<void>;

  /** Those that are there, oldest first. */
  abstract list(): Promise<StoredBackup[]>;

  /** Moves a file of the work folder to its place. It is there whole, or not at all. */
  abstract put(name: string, file: string): Promise<void>;

  /**
   * A backup as a file on this machine.
   *
   * @param folder for a copy, where one is needed
   * @returns its path; null when it is not there
   */
  abstract fetch(name: string, folder: string): Promise<string | null>;

  abstract delete(name: string): Promise<void>;
}
