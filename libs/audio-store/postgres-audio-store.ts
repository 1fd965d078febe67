import {
  AudioObjectRepository,
  type ByteRange,
  type Cleanup,
} from '@app/database/voices/audio-object.repository';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  AudioStore,
  REPORT_LIMIT,
  toStaged,
  type AudioStoreReport,
  type StagedAudio,
  type StoredAudio,
} from './audio-store';

const nothingElsewhere = async () => {};

/** Audio in PostgreSQL: stored in the transaction that refers to it, or not at all. */
@Injectable()
export class PostgresAudioStore extends AudioStore {
  constructor(private readonly objects: AudioObjectRepository) {
    super();
  }

  async stage(bytes: Uint8Array, mediaType: string): Promise<StagedAudio> {
    return toStaged(bytes, mediaType);
  }

  async keep(staged: StagedAudio, em?: EntityManager): Promise<StoredAudio> {
    await this.objects.store(staged, em);
    const { digest, mediaType, sizeBytes } = staged;
    return { digest, mediaType, sizeBytes };
  }

  async keepStored(digests: string[], em: EntityManager): Promise<boolean> {
    return this.objects.touchAll(digests, em);
  }

  async describe(digest: string, em?: EntityManager): Promise<StoredAudio> {
    return this.objects.describe(digest, em);
  }

  async find(digest: string, range?: ByteRange): Promise<(StoredAudio & { bytes: Buffer }) | null> {
    const found = await this.objects.find(digest, range);
    return found?.bytes ? { ...found, bytes: found.bytes } : null;
  }

  async deleteUnreferenced(graceSecs: number, after = '', em?: EntityManager): Promise<Cleanup> {
    return this.objects.deleteUnreferenced(graceSecs, after, nothingElsewhere, em);
  }

  async deleteIfUnused(digest: string): Promise<void> {
    await this.objects.deleteIfUnused(digest, nothingElsewhere);
  }

  async check(graceSecs: number): Promise<AudioStoreReport> {
    return {
      missing: await this.objects.listMissing(REPORT_LIMIT),
      orphaned: await this.objects.listUnreferenced(graceSecs, REPORT_LIMIT),
    };
  }
}
