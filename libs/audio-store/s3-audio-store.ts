import type { S3 } from '@aws-sdk/client-s3';
import type { AudioObjectRepository, ByteRange } from '@app/database/voices/audio-object.repository';
import { DomainError } from '@app/domain/errors';
import { isNoSuchKey, listObjects } from '@app/object-store/object-store';
import type { EntityManager } from 'typeorm';
import { AudioStore, type AudioStoreReport, type FoundAudio, type StagedAudio } from './audio-store';

/** How the keys of audio begin; the digest follows. */
export const AUDIO_PREFIX = 'audio/';

/**
 * Audio in an S3-compatible object store. The row of an object is committed before its bytes are sent, and deleted after
 * them: there are never bytes without a row. Audio from the time before the object store is read from its row.
 */
export class S3AudioStore extends AudioStore {
  constructor(
    objects: AudioObjectRepository,
    private readonly s3: S3,
    private readonly bucket: string,
  ) {
    super(objects);
  }

  override async stage(bytes: Uint8Array, mediaType: string): Promise<StagedAudio> {
    const staged = await super.stage(bytes, mediaType);
    await this.objects.store({ ...staged, bytes: null });
    await this.upload(staged);
    return staged;
  }

  async find(digest: string, range?: ByteRange): Promise<FoundAudio | null> {
    const found = await this.objects.find(digest, range);
    const bytes = found && (found.bytes ?? (await this.download(digest, range)));
    return bytes && { ...found, bytes };
  }

  protected async store(staged: StagedAudio, em?: EntityManager): Promise<void> {
    // The row is locked from here on. That it was missing means that the same audio has just been deleted, bytes and all.
    const deleted = await this.objects.store({ ...staged, bytes: null }, em);
    if (deleted) await this.upload(staged);
  }

  protected async erase(digests: string[]): Promise<void> {
    await this.send(() => Promise.all(digests.map((digest) => this.s3.deleteObject(this.at(digest)))));
  }

  protected async compareBytes(): Promise<AudioStoreReport> {
    const report: AudioStoreReport = { missing: [], orphaned: [] };
    let from = '';
    for await (const { digests, last } of this.pages()) {
      // A listing and the rows are in the same order: they are compared page by page.
      const known = await this.objects.listElsewhere(from, last ? null : digests.at(-1)!);
      report.orphaned.push(...without(digests, known));
      report.missing.push(...without(known, digests));
      from = digests.at(-1) ?? from;
    }
    return report;
  }

  private async *pages(): AsyncGenerator<{ digests: string[]; last: boolean }> {
    const listed = listObjects(this.s3, this.bucket, AUDIO_PREFIX);
    for (;;) {
      const { value, done } = await this.send(() => listed.next());
      if (done) return;
      const digests = value.objects.map(({ key }) => key.slice(AUDIO_PREFIX.length));
      yield { digests, last: value.last };
    }
  }

  private async upload({ digest, mediaType, bytes }: StagedAudio): Promise<void> {
    const object = { ...this.at(digest), Body: bytes, ContentType: mediaType };
    await this.send(() => this.s3.putObject(object));
  }

  private async download(digest: string, range?: ByteRange): Promise<Buffer | null> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    return this.send(async () => {
      try {
        const { Body } = await this.s3.getObject({ ...this.at(digest), Range });
        return Buffer.from(await Body!.transformToByteArray());
      } catch (error) {
        if (isNoSuchKey(error)) return null;
        throw error;
      }
    });
  }

  private at(digest: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: AUDIO_PREFIX + digest };
  }

  /** @throws DomainError `service_unavailable` when the object store fails */
  private async send<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw new DomainError('service_unavailable', {}, { cause: error });
    }
  }
}

function without(all: string[], some: string[]): string[] {
  const excluded = new Set(some);
  return all.filter((each) => !excluded.has(each));
}
