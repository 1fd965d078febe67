import { isNoSuchKey } from '@app/object-store/object-store';
import type { S3 } from '@aws-sdk/client-s3';
import { ArchiveStore } from './archive-store';

/** How the keys of archived files begin; the name follows. */
export const ARCHIVE_PREFIX = 'archive/';

/** Files in the bucket that audio is in. */
export class S3ArchiveStore extends ArchiveStore {
  readonly place: string;

  constructor(
    private readonly s3: S3,
    private readonly bucket: string,
  ) {
    super();
    this.place = `s3://${bucket}/${ARCHIVE_PREFIX}`;
  }

  async write(name: string, bytes: Buffer): Promise<void> {
    await this.s3.putObject({
      Bucket: this.bucket,
      Key: ARCHIVE_PREFIX + name,
      Body: bytes,
      ContentType: 'application/gzip',
    });
  }

  async read(name: string): Promise<Buffer | null> {
    try {
      const { Body } = await this.s3.getObject({ Bucket: this.bucket, Key: ARCHIVE_PREFIX + name });
      return Buffer.from(await Body!.transformToByteArray());
    } catch (error) {
      if (isNoSuchKey(error)) return null;
      throw error;
    }
  }
}
