import { AudioObject } from '@app/database/entities/audio-object.entity';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { createHash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

export interface StoredAudio {
  /** SHA-256 of the bytes, hex: the address of the audio. */
  digest: string;
  mediaType: string;
  sizeBytes: number;
}

/** Audio in PostgreSQL, addressed by its content: the same bytes are stored once. */
@Injectable()
export class AudioStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Stores audio. The same bytes are stored once, and count as stored just now: until their grace has passed they are
   * safe from `deleteUnreferenced`. Part of the caller's transaction when `em` is given.
   */
  async put(
    bytes: Uint8Array,
    mediaType: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<StoredAudio> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await em
      .createQueryBuilder()
      .insert()
      .into(AudioObject)
      .values({ digest, mediaType, sizeBytes: buffer.byteLength, bytes: buffer })
      .orUpdate(['created_at'], ['digest'])
      .execute();
    return { digest, mediaType, sizeBytes: buffer.byteLength };
  }

  /** Media type and size of the audio at a digest. Throws when nothing is stored there. */
  async describe(digest: string, em: EntityManager = this.dataSource.manager): Promise<StoredAudio> {
    return em.findOneOrFail(AudioObject, {
      where: { digest },
      select: { digest: true, mediaType: true, sizeBytes: true },
    });
  }

  /** The audio at a digest, or null when nothing is stored there. */
  async find(
    digest: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<(StoredAudio & { bytes: Buffer }) | null> {
    return em.findOneBy(AudioObject, { digest });
  }

  /** The bytes at a digest, or the part of them from `start` to `end`; null when nothing is stored there. */
  async read(digest: string, range?: { start: number; end: number }): Promise<Buffer | null> {
    if (!range) return (await this.find(digest))?.bytes ?? null;
    const [row] = await this.dataSource.query<{ bytes: Buffer }[]>(
      'SELECT substring(bytes FROM $2 FOR $3) AS bytes FROM audio_object WHERE digest = $1',
      [digest, range.start + 1, range.end - range.start + 1],
    );
    return row?.bytes ?? null;
  }

  /** Deletes this audio, unless a preview or a voice refers to it. Safe beside a `put` of the same bytes. */
  async deleteIfUnused(digest: string): Promise<void> {
    await this.dataSource.transaction(async (em) => {
      // A put that is on its way holds the row: what it refers to can be seen once it has committed.
      await em.query('SELECT FROM audio_object WHERE digest = $1 FOR UPDATE', [digest]);
      await em.query(
        `DELETE FROM audio_object a WHERE a.digest = $1
           AND NOT EXISTS (SELECT 1 FROM preview p WHERE p.audio_digest = a.digest)
           AND NOT EXISTS (SELECT 1 FROM voice_sample s WHERE s.audio_digest = a.digest)`,
        [digest],
      );
    });
  }

  /**
   * Deletes audio that no preview and no voice refers to, unless it was stored within the last `graceSecs`. Returns how
   * many objects. Safe beside a `put` of the same bytes: the put either makes the row too young, or stores it anew.
   */
  async deleteUnreferenced(
    graceSecs: number,
    limit: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    const [, deleted] = await em.query<[unknown[], number]>(
      `WITH unreferenced AS MATERIALIZED (
         SELECT a.digest FROM audio_object a
         WHERE a.created_at < now() - make_interval(secs => $1)
           AND NOT EXISTS (SELECT 1 FROM preview p WHERE p.audio_digest = a.digest)
           AND NOT EXISTS (SELECT 1 FROM voice_sample s WHERE s.audio_digest = a.digest)
         LIMIT $2 FOR UPDATE SKIP LOCKED)
       DELETE FROM audio_object a USING unreferenced u WHERE a.digest = u.digest`,
      [graceSecs, limit],
    );
    return deleted;
  }
}
