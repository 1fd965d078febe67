import { Injectable } from '@nestjs/common';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Where the build puts the console, seen from the build and from TypeScript (tests). */
const FOLDER = join(
  __dirname,
  __filename.endsWith('.ts') ? '../../../../dist/console' : '../../../../console',
);

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Smaller ones gain nothing. */
const COMPRESSED_FROM_BYTES = 1_000;

export interface ConsoleFile {
  type: string;
  bytes: Buffer;
  /** Made when somebody first asks for it; null when the file is not worth it. */
  gzipped: () => Buffer | null;
}

/**
 * The built console, in memory: a few hundred kilobytes. What is not one of its files cannot be reached through it,
 * whatever the path says.
 */
@Injectable()
export class ConsoleFiles {
  private readonly files = readFolder();

  /** A file by its path below `/console/`, with forward slashes. */
  find(path: string): ConsoleFile | undefined {
    return this.files.get(path);
  }
}

function readFolder(): Map<string, ConsoleFile> {
  if (!existsSync(FOLDER)) return new Map();
  const paths = readdirSync(FOLDER, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(FOLDER, path).split(sep).join('/'), readFile(path)]));
}

function readFile(path: string): ConsoleFile {
  const bytes = readFileSync(path);
  let gzipped: Buffer | null = null;
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    bytes,
    gzipped: () => {
      if (bytes.length >= COMPRESSED_FROM_BYTES) gzipped ??= gzipSync(bytes);
      return gzipped;
    },
  };
}
