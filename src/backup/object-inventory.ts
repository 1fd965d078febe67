import { ARCHIVE_PREFIX } from '@app/archive-store/s3-archive-store';
import { AUDIO_PREFIX } from '@app/audio-store/s3-audio-store';
import type { AppConfig } from '@app/config/app-config';
import { AudioObjectRepository } from '@app/database/voices/audio-object.repository';
import { isOfFullDisk } from '@app/domain/common/full-disk';
import {
  connectS3,
  isNoSuchKey,
  listObjects,
  reasonOfStore,
  type ListedObject,
} from '@app/object-store/object-store';
import type { S3 } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DataSource } from 'typeorm';
import { LaunchError } from '../launcher/launch-error';

/** What the bucket had when the backup was made, a line an object, in the order of their keys. */
export const INVENTORY = 'objects.ndjson';

/** In the order of their keys. */
const PREFIXES = [ARCHIVE_PREFIX, AUDIO_PREFIX];
/** Times the limits of a request of a client. */
const PATIENCE = 6;
const COMPARED_AT_ONCE = 1_000;

type Bucket = NonNullable<AppConfig['s3']>;

/** An object of an inventory that the bucket no longer has as it was. */
type Difference = ListedObject & { is: 'missing' | 'changed' };

/** Objects that a backup needs and that are not as they were: how many, and the first of them. */
interface Lost {
  count: number;
  first: string | null;
}

/** Writes what the bucket of recordings and archived months has: bytes that stay there, and are not in the backup. */
export async function writeInventory({ bucket, ...server }: Bucket, folder: string): Promise<void> {
  const s3 = await connectS3(server, { patience: PATIENCE });
  const lines = async function* () {
    for await (const { key, bytes, etag } of listAll(s3, bucket))
      yield `${JSON.stringify([key, bytes, etag])}\n`;
  };
  try {
    await pipeline(Readable.from(lines()), createWriteStream(join(folder, INVENTORY), { mode: 0o600 }));
  } catch (error) {
    throw cannotRead(bucket, error);
  } finally {
    s3.destroy();
  }
}

/**
 * Compares the inventory in a folder with the bucket as it is now.
 *
 * @param live the database in use: audio that it does not know was deleted since the backup, and is not lost. Null after a restore, which
 *   needs that audio again
 */
export async function findLost(
  { bucket, ...server }: Bucket,
  folder: string,
  live: DataSource | null,
): Promise<Lost> {
  const s3 = await connectS3(server, { patience: PATIENCE });
  const lost: Lost = { count: 0, first: null };
  try {
    for await (const differences of inGroups(compare(s3, bucket, join(folder, INVENTORY)))) {
      const deleted = live === null ? new Set() : await listDeleted(live, differences);
      for (const { key, bytes, is } of differences) {
        if (is === 'missing' ? deleted.has(key) : await isIntact(s3, bucket, key, bytes)) continue;
        lost.count++;
        lost.first ??= `${key} (${is})`;
      }
    }
    return lost;
  } catch (error) {
    throw cannotRead(bucket, error);
  } finally {
    s3.destroy();
  }
}

function cannotRead(bucket: string, error: unknown): unknown {
  if (isOfFullDisk(error)) return error;
  return new LaunchError(
    `s3://${bucket}, where recordings are, cannot be read: ${reasonOfStore(error)}. See S3_BUCKET, S3_ENDPOINT and the S3_ access key.`,
    { cause: error },
  );
}

async function* listAll(s3: S3, bucket: string): AsyncGenerator<ListedObject> {
  for (const prefix of PREFIXES)
    for await (const { objects } of listObjects(s3, bucket, prefix)) yield* objects;
}

/** Both are in the order of the keys: neither is ever in memory as a whole. */
async function* compare(s3: S3, bucket: string, file: string): AsyncGenerator<Difference> {
  const present = listAll(s3, bucket);
  let next = await present.next();
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [key, bytes, etag] = JSON.parse(line) as [string, number, string];
    while (!next.done && next.value.key < key) next = await present.next();
    const found = next.done || next.value.key !== key ? null : next.value;
    if (found === null) yield { key, bytes, etag, is: 'missing' };
    else if (found.bytes !== bytes || found.etag !== etag) yield { key, bytes, etag, is: 'changed' };
  }
}

async function* inGroups<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < COMPARED_AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Keys of audio that is not there, and of which the database knows that it is not. */
async function listDeleted(live: DataSource, differences: Difference[]): Promise<Set<string>> {
  const keys = differences
    .filter(({ key, is }) => is === 'missing' && key.startsWith(AUDIO_PREFIX))
    .map(({ key }) => key);
  const digests = keys.map((key) => key.slice(AUDIO_PREFIX.length));
  const known = new Set(await new AudioObjectRepository(live).listKnown(digests));
  return new Set(keys.filter((key) => !known.has(key.slice(AUDIO_PREFIX.length))));
}

/** Audio that was deleted and stored again may have another ETag: its key says what its bytes are. */
async function isIntact(s3: S3, bucket: string, key: string, bytes: number): Promise<boolean> {
  if (!key.startsWith(AUDIO_PREFIX)) return false;
  try {
    const { Body, ContentLength } = await s3.getObject({ Bucket: bucket, Key: key });
    if (ContentLength !== bytes) {
      // A body that is not read would keep its connection, of which a client has few.
      (Body as Readable).destroy();
      return false;
    }
    const hash = createHash('sha256');
    await pipeline(Body as Readable, hash);
    return hash.digest('hex') === key.slice(AUDIO_PREFIX.length);
  } catch (error) {
    if (isNoSuchKey(error)) return false;
    throw error;
  }
}
