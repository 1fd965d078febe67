import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { readStaticFiles, type StaticFile } from '../http/static-files';

/** Where the build puts the console, seen from the build and from TypeScript (tests). */
const FOLDER = join(
  __dirname,
  __filename.endsWith('.ts') ? '../../../../dist/console' : '../../../../console',
);

/** The built console: a few hundred kilobytes. */
@Injectable()
export class ConsoleFiles {
  private readonly files = readStaticFiles(FOLDER);

  /** A file by its path below `/console/`. */
  find(path: string): StaticFile | undefined {
    return this.files.get(path);
  }
}
