import type { ByteRange, Cleanup } from '@app/database/voices/audio-object.repository';
import { Logger } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

export interface StoredAudio {
  /** SHA-256 of the bytes, hex: the address of the audio. */
  digest: string;
  mediaType: string;
  sizeBytes: number;
}

/** Audio that waits to be kept by a transaction. */
export interface StagedAudio extends StoredAudio {
  bytes: Buffer;
}

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

  /** Does the slow part: do not call it in a transaction. What is not kept afterwards is deleted later. */
  abstract stage(bytes: Uint8Array, mediaType: string): Promise<StagedAudio>;

  /**
   * Keeps staged audio, in the transaction that refers to it when `em` is given. It counts as stored just now: until their
   * grace has passed, objects are safe from `deleteUnreferenced`.
   */
  abstract keep(staged: StagedAudio, em?: EntityManager): Promise<StoredAudio>;

  /**
   * Keeps audio that was stored before, in the transaction that refers to it: until it ends, the audio is not deleted. False
   * when some of it has been deleted since it was stored.
   */
  abstract keepStored(digests: string[], em: EntityManager): Promise<boolean>;

  /** Media type and size of the audio at a digest. Throws when nothing is stored there. */
  abstract describe(digest: string, em?: EntityManager): Promise<StoredAudio>;

  /** The audio at a digest with its bytes, or the part of them in `range`; null when nothing is stored there. */
  abstract find(digest: string, range?: ByteRange): Promise<(StoredAudio & { bytes: Buffer }) | null>;

  /**
   * Deletes audio that nothing refers to, unless it was stored within the last `graceSecs`. Sees a part of the store, from the
   * digest `after`; the `next` of its result is where the following part begins. Safe beside storing the same bytes: that makes the object too young, or stores it
   * again.
   */
  abstract deleteUnreferenced(graceSecs: number, after?: string, em?: EntityManager): Promise<Cleanup>;

  /** Deletes this audio, unless something refers to it. Safe beside storing the same bytes. */
  abstract deleteIfUnused(digest: string): Promise<void>;

  /** Deletes audio whose user is gone, as `deleteIfUnused`. Never fails: the worker deletes what is left. */
  async discard(users: readonly { audioDigest: string }[]): Promise<void> {
    try {
      for (const { audioDigest } of users) await this.deleteIfUnused(audioDigest);
    } catch (error) {
      this.logger.warn(`Audio is left for the worker to delete: ${String(error)}`);
    }
  }

  /** Compares what is stored with what is referred to. Reads the whole store. */
  abstract check(graceSecs: number): Promise<AudioStoreReport>;
}

/** Audio with its address. */
export function toStaged(bytes: Uint8Array, mediaType: string): StagedAudio {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const digest = createHash('sha256').update(buffer).digest('hex');
  return { digest, mediaType, sizeBytes: buffer.byteLength, bytes: buffer };
}

/** As many problems as a report names. */
export const REPORT_LIMIT = 100;
