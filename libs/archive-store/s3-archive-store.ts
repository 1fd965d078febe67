import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { ArchiveStore } from './archive-store';

const FOLDER = 'archive/';

/** Files in the bucket that audio is in. */
export class S3ArchiveStore extends ArchiveStore {
  readonly place: string;

  constructor(
    private readonly s3: S3Client,
    private readonly bucket: string,
  ) {
    super();
    this.place = `s3://${bucket}/${FOLDER}`;
  }

  async write(name: string, bytes: Buffer): Promise<void> {
    const object = { Bucket: this.bucket, Key: FOLDER + name, Body: bytes, ContentType: 'application/gzip' };
    await this.s3.send(new PutObjectCommand(object));
  }

  async read(name: string): Promise<Buffer | null> {
    try {
      const { Body } = await this.s3.send(new GetObjectCommand({ Bucket: this.bucket, Key: FOLDER + name }));
      return Buffer.from(await Body!.transformToByteArray());
    } catch (error) {
      if (error instanceof NoSuchKey) return null;
      throw error;
    }
  }
}
