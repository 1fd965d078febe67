import { KeyFileRepository } from '@app/database/keys/key-file.repository';
import { KeyFileError } from '@app/domain/keys/key-file-error';
import { Injectable } from '@nestjs/common';
import { FileAccountsService } from './file-accounts.service';
import { quoted } from './file-part';
import { countObjects, MAX_FILE_OBJECTS, type FileAccount, type KeyFile } from './key-file';

/** A file, and the names of its accounts, which it calls by their ids. */
export interface ExportedFile {
  content: KeyFile;
  names: string[];
}

/** Writes down as a file of keys what is there now: applied as it is, it changes no setting. */
@Injectable()
export class KeyFileExportService {
  constructor(
    private readonly files: KeyFileRepository,
    private readonly accounts: FileAccountsService,
  ) {}

  /**
   * @param name of the file; null for that of the file which manages what is exported, as a plan of another name is refused
   * @param requested accounts by id or name; empty for all that have a key or a webhook
   * @throws KeyFileError when a file cannot hold so much
   */
  async export(name: string | null, requested: readonly string[]): Promise<ExportedFile> {
    const ids =
      requested.length > 0 ? requested : await this.files.listAccountsWithKeys(MAX_FILE_OBJECTS + 1);
    const accounts: FileAccount[] = [];
    const names: string[] = [];
    const managers = new Set<string>();
    let objects = 0;
    for (const idOrName of ids) {
      const exported = await this.accounts.export(idOrName, MAX_FILE_OBJECTS + 1 - objects);
      objects += countObjects(exported.content);
      if (objects > MAX_FILE_OBJECTS || accounts.length === MAX_FILE_OBJECTS) {
        throw new KeyFileError([
          `There are more than ${MAX_FILE_OBJECTS} keys and webhooks, which is more than a file can have: name the accounts that it is to be about.`,
        ]);
      }
      accounts.push(exported.content);
      names.push(exported.name);
      for (const file of exported.managers) managers.add(file);
    }
    return { content: { version: 1, name: name ?? nameFor([...managers]), accounts }, names };
  }
}

/** The name of a file that nothing manages yet. */
const NEW_FILE = 'greenroom';

/** The name that a plan of the exported file accepts. */
function nameFor(managers: string[]): string {
  if (managers.length <= 1) return managers[0] ?? NEW_FILE;
  const files = managers.map(quoted).join(', ');
  throw new KeyFileError([
    `Several files of keys manage what would be exported: ${files}. Name the accounts of one of them, or the file with --name.`,
  ]);
}
