import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chooseCoding, CODINGS, type Coding } from './content-coding';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** What the build has compressed lies beside its file. */
const SUFFIXES: Record<Coding, string> = { br: '.br', gzip: '.gz' };
/** Smaller ones gain nothing. */
const COMPRESSED_FROM_BYTES = 1_000;

export interface StaticFile {
  type: string;
  bytes: Buffer;
  /** By the build; without that, by gzip at the first request for it. */
  compressed: () => Partial<Record<Coding, Buffer>>;
}

export interface PageResponse {
  headers: Record<string, string>;
  body: Buffer | string;
}

/** Headers of every file that a browser shows or runs. */
export const SECURITY_HEADERS = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/**
 * Everything in a folder, in memory, by its path below it, with forward slashes. What is not one of its files cannot be
 * reached by any path. Empty when the folder does not exist.
 */
export function readStaticFiles(folder: string): Map<string, StaticFile> {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !Object.values(SUFFIXES).includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [relative(folder, path).split(sep).join('/'), readFile(path)]));
}

/**
 * Sends a file.
 *
 * @param encodings the Accept-Encoding header
 */
export function sendFile(file: StaticFile, encodings: string, cacheControl: string): PageResponse {
  const compressed = file.compressed();
  const coding = chooseCoding(
    encodings,
    CODINGS.filter((each) => compressed[each]),
  );
  return {
    headers: {
      ...SECURITY_HEADERS,
      'content-type': file.type,
      'cache-control': cacheControl,
      vary: 'accept-encoding',
      ...(coding && { 'content-encoding': coding }),
    },
    body: (coding && compressed[coding]) ?? file.bytes,
  };
}

function readFile(path: string): StaticFile {
  const bytes = readFileSync(path);
  let compressed = readCompressed(path);
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    bytes,
    compressed: () => {
      if (bytes.length >= COMPRESSED_FROM_BYTES) compressed ??= { gzip: gzipSync(bytes) };
      return compressed ?? {};
    },
  };
}

/** Null when the build has compressed nothing. */
function readCompressed(path: string): Partial<Record<Coding, Buffer>> | null {
  const found = CODINGS.filter((coding) => existsSync(path + SUFFIXES[coding]));
  if (found.length === 0) return null;
  return Object.fromEntries(found.map((coding) => [coding, readFileSync(path + SUFFIXES[coding])]));
}
