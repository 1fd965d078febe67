import type { AudioObjectRepository, ByteRange, Cleanup } from '@app/database/voices/audio-object.repository';
import { Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

export interface StoredAudio {
  /** SHA-256 of the bytes, hex: the address of the audio. */
  digest: string;
  mediaType: string;
  sizeBytes: number;
}

/** Audio that a transaction has yet to store. */
export interface StagedAudio extends StoredAudio {
  bytes: Buffer;
}

export type FoundAudio = StoredAudio & { bytes: Buffer };

/** Inconsistencies, up to 100 of each kind. */
export interface AudioStoreReport {
  /** Referred to by a preview, a voice or a history item, and not stored. */
  missing: string[];
  /** Stored, and neither referred to nor about to be deleted. */
  orphaned: string[];
}

/**
 * Audio, addressed by its content: the same bytes are stored once. Every object has a row of `audio_object`, before its
 * bytes are anywhere: what a failed request leaves behind is known, and deleted by `deleteUnreferenced`.
 */
export abstract class AudioStore {
  private readonly logger = new Logger(AudioStore.name);

  constructor(protected readonly objects: AudioObjectRepository) {}

  /** Does the slow part: do not call it in a transaction. What is not stored afterwards is deleted later. */
  async stage(bytes: Uint8Array, mediaType: string): Promise<StagedAudio> {
    return toStaged(bytes, mediaType);
  }

  /**
   * Keeps staged audio, with `em` in the transaction that refers to it. It counts as stored just now: until their
   * grace has passed, objects are safe from `deleteUnreferenced`.
   */
  async keep(staged: StagedAudio, em?: EntityManager): Promise<StoredAudio> {
    await this.store(staged, em);
    const { digest, mediaType, sizeBytes } = staged;
    return { digest, mediaType, sizeBytes };
  }

  /**
   * Keeps audio that was stored before, in the transaction that refers to it: until it ends, the audio is not deleted. False
   * when some of it has been deleted since it was stored.
   */
  async keepStored(digests: string[], em: EntityManager): Promise<boolean> {
    return this.objects.touchAll(digests, em);
  }

  /** Media type and size of the audio at a digest. Throws when nothing is stored there. */
  async describe(digest: string, em?: EntityManager): Promise<StoredAudio> {
    return this.objects.describe(digest, em);
  }

  /** The audio at a digest with its bytes, or the part of them in `range`; null when nothing is stored there. */
  abstract find(digest: string, range?: ByteRange): Promise<FoundAudio | null>;

  /**
   * Deletes audio that nothing refers to, unless it was stored within the last `graceSecs`. Sees a part of the store, from the
   * digest `after`; the `next` of its result is where the following part begins. Safe beside storing the same bytes: that makes the object too young, or stores it
   * again.
   */
  async deleteUnreferenced(graceSecs: number, after = '', em?: EntityManager): Promise<Cleanup> {
    return this.objects.deleteUnreferenced(graceSecs, after, (digests) => this.erase(digests), em);
  }

  /** Deletes this audio, unless something refers to it. Safe beside storing the same bytes. */
  async deleteIfUnused(digest: string): Promise<void> {
    await this.objects.deleteIfUnused(digest, (digests) => this.erase(digests));
  }

  /** Deletes audio whose user is gone, as `deleteIfUnused`. Never fails: the worker deletes what is left. */
  async discard(users: readonly { audioDigest: string }[]): Promise<void> {
    try {
      for (const { audioDigest } of users) await this.deleteIfUnused(audioDigest);
    } catch (error) {
      this.logger.warn(`Audio is left for the worker to delete: ${String(error)}`);
    }
  }

  /** Compares what is stored with what is referred to. Reads the whole store. */
  async check(graceSecs: number): Promise<AudioStoreReport> {
    const missing = await this.objects.listMissing(REPORT_LIMIT);
    const orphaned = await this.objects.listUnreferenced(graceSecs, REPORT_LIMIT);
    const bytes = await this.compareBytes();
    return {
      missing: [...missing, ...bytes.missing].slice(0, REPORT_LIMIT),
      orphaned: [...orphaned, ...bytes.orphaned].slice(0, REPORT_LIMIT),
    };
  }

  /** Stores the row of staged audio, and its bytes if they are not stored. */
  protected abstract store(staged: StagedAudio, em?: EntityManager): Promise<void>;

  /** Deletes bytes that are stored outside of the rows. */
  protected abstract erase(digests: string[]): Promise<void>;

  /** Compares bytes that are stored outside of the rows with the rows. */
  protected abstract compareBytes(): Promise<AudioStoreReport>;
}

/** Audio with its address. */
function toStaged(bytes: Uint8Array, mediaType: string): StagedAudio {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const digest = createHash('sha256').update(buffer).digest('hex');
  return { digest, mediaType, sizeBytes: buffer.byteLength, bytes: buffer };
}

/** As many problems as a report names. */
const REPORT_LIMIT = 100;
