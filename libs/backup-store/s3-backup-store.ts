import type { AppConfig } from '@app/config/app-config';
import { BACKUP_NAME_PREFIX, timeOfBackup } from '@app/domain/operations/backup-plan';
import { isOfFullDisk } from '@app/domain/common/full-disk';
import { connectS3, isNoSuchKey, listObjects, reasonOfStore } from '@app/object-store/object-store';
import type { S3 } from '@aws-sdk/client-s3';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupStore, type StoredBackup } from './backup-store';

/** Times the limits of a request of a client: a part takes 27 s at 5 Mbit/s. */
const PATIENCE = 12;
const PART_BYTES = 16 * 1024 * 1024;
/** As many as an upload may have. */
const MOST_PARTS = 10_000;
const RIGHTS =
  's3:PutObject, s3:GetObject, s3:DeleteObject, s3:ListBucket, s3:ListBucketMultipartUploads, s3:AbortMultipartUpload';

type Place = NonNullable<AppConfig['backupS3']>;

/**
 * Backups in an S3-compatible object store. One is sent in parts, and is there when the store has joined them: what was sent of
 * one that was ended is never listed, and removed before the next.
 */
export class S3BackupStore extends BackupStore {
  readonly place: string;
  readonly workFolder = tmpdir();
  readonly workFolderVariable = 'TMPDIR';

  private constructor(
    private readonly s3: S3,
    private readonly bucket: string,
    private readonly prefix: string,
  ) {
    super();
    this.place = `s3://${bucket}/${prefix}`;
  }

  static async connect({ bucket, prefix, ...server }: Place): Promise<S3BackupStore> {
    return new S3BackupStore(await connectS3(server, { patience: PATIENCE }), bucket, prefix);
  }

  async prepare(note: (text: string) => void): Promise<void> {
    const probe = this.at('.greenroom-write-test');
    await this.send('written', async () => {
      await this.s3.putObject({ ...probe, Body: 'It may be deleted.' });
      await this.s3.deleteObject(probe);
    });
    await this.abortUnfinished().catch((error: unknown) =>
      note(
        `What backups that were ended have left of themselves in ${this.place} cannot be removed: ${reasonOfStore(error)}. Allow ${RIGHTS} there, or give the bucket a lifecycle rule for unfinished uploads.`,
      ),
    );
  }

  async list(): Promise<StoredBackup[]> {
    return this.send('listed', async () => {
      const stored: StoredBackup[] = [];
      for await (const { objects } of listObjects(this.s3, this.bucket, this.prefix + BACKUP_NAME_PREFIX))
        for (const { key, bytes } of objects) {
          const name = key.slice(this.prefix.length);
          if (timeOfBackup(name) !== null) stored.push({ name, bytes });
        }
      return stored;
    });
  }

  async put(name: string, file: string): Promise<void> {
    const { size } = await stat(file);
    await this.send('written', async () => {
      const { UploadId } = await this.s3.createMultipartUpload({
        ...this.at(name),
        ContentType: 'application/gzip',
      });
      const upload = { ...this.at(name), UploadId };
      try {
        const Parts = await this.sendParts(upload, file, size);
        await this.s3.completeMultipartUpload({ ...upload, MultipartUpload: { Parts } });
      } catch (error) {
        await this.s3.abortMultipartUpload(upload).catch(() => undefined);
        throw error;
      }
    });
  }

  async fetch(name: string, folder: string): Promise<string | null> {
    const path = join(folder, name);
    return this.send('read', async () => {
      try {
        const { Body } = await this.s3.getObject(this.at(name));
        await pipeline(Body as Readable, createWriteStream(path, { mode: 0o600 }));
        return path;
      } catch (error) {
        await rm(path, { force: true });
        if (isNoSuchKey(error)) return null;
        throw error;
      }
    });
  }

  async delete(name: string): Promise<void> {
    await this.send('changed', () => this.s3.deleteObject(this.at(name)));
  }

  /** A part is read whole, so that it can be sent twice. */
  private async sendParts(
    upload: { Bucket: string; Key: string; UploadId: string | undefined },
    file: string,
    size: number,
  ): Promise<{ PartNumber: number; ETag: string | undefined }[]> {
    const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS));
    const parts: { PartNumber: number; ETag: string | undefined }[] = [];
    for (let from = 0; from < size; from += partBytes) {
      const read = createReadStream(file, { start: from, end: from + partBytes - 1 });
      const Body = Buffer.concat(await read.toArray());
      const PartNumber = parts.length + 1;
      const { ETag } = await this.s3.uploadPart({ ...upload, PartNumber, Body });
      parts.push({ PartNumber, ETag });
    }
    return parts;
  }

  /** Only the process that holds the lock sends a backup: what is unfinished was ended. */
  private async abortUnfinished(): Promise<void> {
    const { Uploads = [] } = await this.s3.listMultipartUploads({ Bucket: this.bucket, Prefix: this.prefix });
    for (const { Key = '', UploadId } of Uploads)
      if (timeOfBackup(Key.slice(this.prefix.length)) !== null)
        await this.s3.abortMultipartUpload({ Bucket: this.bucket, Key, UploadId });
  }

  private at(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: this.prefix + name };
  }

  private async send<T>(done: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (isOfFullDisk(error)) throw error;
      throw new Error(
        `BACKUP_TO ${this.place} cannot be ${done}: ${reasonOfStore(error)}. Create the bucket, allow ${RIGHTS} there, and see S3_ENDPOINT, S3_REGION and the S3_ access key.`,
        { cause: error },
      );
    }
  }
}
