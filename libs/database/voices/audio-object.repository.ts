import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AudioObject } from './audio-object.entity';

/** Part of stored bytes, both ends included, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Deletes what is not in the row: bytes that are stored elsewhere. Called while the rows are locked. */
type DeleteBytes = (digests: string[]) => Promise<void>;

/** What a look at a part of the store came to. */
export interface Cleanup {
  /** Objects. */
  deleted: number;
  /** The digest after which the next look begins; null when all of the store has been seen. */
  next: string | null;
}

type FoundAudio = Pick<AudioObject, 'digest' | 'mediaType' | 'sizeBytes' | 'bytes'>;

/** Read at a time: a result of PostgreSQL is text of twice the size, and the garbage of large ones stays for long. */
const PIECE_BYTES = 256_000;

/** What one look sees at most: a store can be so large that one statement does not come to its end. */
const SEEN_AT_ONCE = 5_000;
const DELETED_AT_ONCE = 200;

const UNREFERENCED = `NOT EXISTS (SELECT 1 FROM preview p WHERE p.audio_digest = a.digest)
  AND NOT EXISTS (SELECT 1 FROM voice_sample s WHERE s.audio_digest = a.digest)
  AND NOT EXISTS (SELECT 1 FROM history_piece h WHERE h.audio_digest = a.digest)`;

@Injectable()
export class AudioObjectRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a row, or notes that the same bytes were stored once more just now. Returns whether the row is new. */
  async store(
    object: Pick<AudioObject, 'digest' | 'mediaType' | 'sizeBytes' | 'bytes'>,
    em: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const [row] = await em.query<{ added: boolean }[]>(
      `INSERT INTO audio_object (digest, media_type, size_bytes, bytes) VALUES ($1, $2, $3, $4)
       ON CONFLICT (digest) DO UPDATE SET created_at = now() RETURNING xmax = 0 AS added`,
      [object.digest, object.mediaType, object.sizeBytes, object.bytes],
    );
    return row!.added;
  }

  /**
   * Locks rows until the transaction ends, and notes that their bytes were stored just now. False when one of them does not
   * exist.
   */
  async touchAll(digests: string[], em: EntityManager): Promise<boolean> {
    const [, touched] = await em.query<[unknown[], number]>(
      `WITH locked AS MATERIALIZED (
         SELECT digest FROM audio_object WHERE digest = ANY ($1) ORDER BY digest FOR UPDATE)
       UPDATE audio_object a SET created_at = now() FROM locked WHERE a.digest = locked.digest`,
      [digests],
    );
    return touched === new Set(digests).size;
  }

  /** Media type and size. Throws when the row does not exist. */
  async describe(
    digest: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<Pick<AudioObject, 'digest' | 'mediaType' | 'sizeBytes'>> {
    return em.findOneOrFail(AudioObject, {
      where: { digest },
      select: { digest: true, mediaType: true, sizeBytes: true },
    });
  }

  /** A row with its bytes or a part of them; bytes that are elsewhere are null. Null when the row does not exist. */
  async find(digest: string, range?: ByteRange): Promise<FoundAudio | null> {
    if (range) return this.findPart(digest, range.start, range.end - range.start + 1);
    const first = await this.findPart(digest, 0, PIECE_BYTES);
    if (!first?.bytes || first.bytes.length === first.sizeBytes) return first;
    const bytes = Buffer.allocUnsafeSlow(first.sizeBytes);
    for (let part: Buffer | null = first.bytes, at = 0; ;) {
      at += part.copy(bytes, at);
      if (at === bytes.length) return { ...first, bytes };
      part = (await this.findPart(digest, at, PIECE_BYTES))?.bytes ?? null;
      // Deleted meanwhile.
      if (!part?.length) return null;
    }
  }

  /**
   * Deletes audio that no preview, no voice and no history item refers to, unless it was stored within the last `graceSecs`:
   * of the objects whose digests follow `after`, as many as one look sees.
   */
  async deleteUnreferenced(
    graceSecs: number,
    after: string,
    deleteBytes: DeleteBytes,
    em?: EntityManager,
  ): Promise<Cleanup> {
    if (!em)
      return this.dataSource.transaction((own) =>
        this.deleteUnreferenced(graceSecs, after, deleteBytes, own),
      );
    const [last] = await em.query<{ digest: string }[]>(
      'SELECT digest FROM audio_object WHERE digest > $1 ORDER BY digest OFFSET $2 LIMIT 1',
      [after, SEEN_AT_ONCE - 1],
    );
    const rows = await em.query<{ digest: string }[]>(
      `SELECT a.digest FROM audio_object a WHERE a.digest > $1 AND ($2::text IS NULL OR a.digest <= $2)
         AND a.created_at < now() - make_interval(secs => $3) AND ${UNREFERENCED}
       ORDER BY a.digest LIMIT $4 FOR UPDATE SKIP LOCKED`,
      [after, last?.digest, graceSecs, DELETED_AT_ONCE],
    );
    await this.deleteLocked(rows, deleteBytes, em);
    const end = rows.length === DELETED_AT_ONCE ? rows.at(-1) : last;
    return { deleted: rows.length, next: end?.digest ?? null };
  }

  /** Deletes this audio unless something refers to it. */
  async deleteIfUnused(digest: string, deleteBytes: DeleteBytes): Promise<void> {
    await this.dataSource.transaction(async (em) => {
      // A transaction that stores the same bytes holds the row: its references are visible once it has committed.
      await em.query('SELECT FROM audio_object WHERE digest = $1 FOR UPDATE', [digest]);
      const rows = await em.query<{ digest: string }[]>(
        `SELECT a.digest FROM audio_object a WHERE a.digest = $1 AND ${UNREFERENCED}`,
        [digest],
      );
      await this.deleteLocked(rows, deleteBytes, em);
    });
  }

  /** Digests that previews, voices or the history refer to and that have no row. */
  async listMissing(limit: number): Promise<string[]> {
    return this.listDigests(
      `SELECT r.digest FROM (SELECT audio_digest AS digest FROM preview WHERE audio_digest IS NOT NULL
         UNION SELECT audio_digest FROM voice_sample UNION SELECT audio_digest FROM history_piece) r
       WHERE NOT EXISTS (SELECT 1 FROM audio_object a WHERE a.digest = r.digest) LIMIT $1`,
      [limit],
    );
  }

  /** Rows that nothing refers to and that are older than the grace: the expiry job should have deleted them. */
  async listUnreferenced(graceSecs: number, limit: number): Promise<string[]> {
    return this.listDigests(
      `SELECT a.digest FROM audio_object a
       WHERE a.created_at < now() - make_interval(secs => $2) AND ${UNREFERENCED} LIMIT $1`,
      [limit, graceSecs],
    );
  }

  /** Rows whose bytes are elsewhere, with a digest after `from` and up to `to`, in order. */
  async listElsewhere(from: string, to: string | null): Promise<string[]> {
    return this.listDigests(
      `SELECT digest FROM audio_object WHERE bytes IS NULL AND digest COLLATE "C" > $1
         AND ($2::text IS NULL OR digest COLLATE "C" <= $2) ORDER BY digest COLLATE "C"`,
      [from, to],
    );
  }

  /** Those of these digests that have a row. */
  async listKnown(digests: string[]): Promise<string[]> {
    return this.listDigests('SELECT digest FROM audio_object WHERE digest = ANY ($1)', [digests]);
  }

  private async findPart(digest: string, start: number, length: number): Promise<FoundAudio | null> {
    const [row] = await this.dataSource.query<FoundAudio[]>(
      `SELECT digest, media_type AS "mediaType", size_bytes AS "sizeBytes",
         substring(bytes FROM $2 FOR $3) AS bytes FROM audio_object WHERE digest = $1`,
      [digest, start + 1, length],
    );
    return row ?? null;
  }

  private async listDigests(sql: string, values: unknown[]): Promise<string[]> {
    const rows = await this.dataSource.query<{ digest: string }[]>(sql, values);
    return rows.map(({ digest }) => digest);
  }

  private async deleteLocked(
    rows: { digest: string }[],
    deleteBytes: DeleteBytes,
    em: EntityManager,
  ): Promise<void> {
    if (rows.length === 0) return;
    const digests = rows.map(({ digest }) => digest);
    await deleteBytes(digests);
    await em.query('DELETE FROM audio_object WHERE digest = ANY ($1)', [digests]);
  }
}
