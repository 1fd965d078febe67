import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { searchByKeys, type Candidate } from '../reviews/fingerprint-search';

/** An item whose fingerprint is still to be taken, with its audio. */
export interface DueItem {
  id: string;
  mediaType: string;
  digests: string[];
}

/** What is known of an item that a clip was cut out of. */
export interface SpokenItem {
  id: string;
  accountId: string;
  accountName: string;
  voiceId: string;
  voiceName: string;
  text: string;
  spokenAt: Date;
}

/** As many items as are compared with a clip: those that share most with it. */
const MOST_ITEMS = 200;
/** Of a longer clip, every so many: one has ten times the keys of two seconds, and each costs the search its time. */
const MOST_LOOKUPS = 2_000;
/** A worker that takes longer than this for an item has died. */
const CLAIM = "interval '10 minutes'";

/** How the items of the history sound. Rows come and go with their items. */
@Injectable()
export class HistoryFingerprintRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Items that no worker has now, one of each account, for `limit` accounts at the most. */
  async claimDue(limit: number): Promise<DueItem[]> {
    const [rows] = await this.dataSource.query<[DueItem[], number]>(
      `WITH RECURSIVE waiting AS (
         (SELECT account_id FROM history_fingerprint WHERE due_at IS NOT NULL ORDER BY account_id LIMIT 1)
         UNION ALL
         SELECT (SELECT f.account_id FROM history_fingerprint f
           WHERE f.due_at IS NOT NULL AND f.account_id > w.account_id ORDER BY f.account_id LIMIT 1)
         FROM waiting w WHERE w.account_id IS NOT NULL)
       UPDATE history_fingerprint f SET due_at = now() + ${CLAIM}
       FROM (SELECT due.history_item_id
         FROM waiting w CROSS JOIN LATERAL (
           SELECT history_item_id, due_at FROM history_fingerprint
           WHERE account_id = w.account_id AND due_at <= now() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) due
         ORDER BY due.due_at LIMIT $1) taken, history_item h
       WHERE f.history_item_id = taken.history_item_id AND h.id = f.history_item_id
       RETURNING h.id, h.media_type AS "mediaType",
         (SELECT array_agg(p.audio_digest ORDER BY p.position) FROM history_piece p WHERE p.history_item_id = h.id) AS digests`,
      [limit],
    );
    return rows;
  }

  /** Stores the fingerprint of an item; an empty one when it has no sound that can be found. */
  async store(id: string, steps: Uint32Array, keys: Iterable<number>): Promise<void> {
    const bytes = Buffer.from(steps.buffer, steps.byteOffset, steps.byteLength);
    await this.dataSource.query(
      'UPDATE history_fingerprint SET due_at = NULL, steps = $2, keys = $3::int[] WHERE history_item_id = $1',
      [id, bytes, [...keys]],
    );
  }

  /**
   * Items that share something with a clip, those that share most first.
   *
   * @returns null when the search takes longer than a second
   */
  async findCandidates(lookups: Int32Array): Promise<Candidate[] | null> {
    return searchByKeys(
      this.dataSource,
      `SELECT f.history_item_id AS id, f.steps FROM (
         SELECT history_item_id FROM history_fingerprint WHERE keys && $1::int[]
         ORDER BY (SELECT count(*) FROM unnest(keys) key WHERE key = ANY ($1::int[])) DESC, history_item_id
         LIMIT ${MOST_ITEMS}) found JOIN history_fingerprint f USING (history_item_id)`,
      lookups.filter((_, n) => n % Math.ceil(lookups.length / MOST_LOOKUPS) === 0),
    );
  }

  async describe(ids: string[]): Promise<SpokenItem[]> {
    return this.dataSource.query(
      `SELECT h.id, h.account_id AS "accountId", a.name AS "accountName", h.voice_id AS "voiceId",
         h.voice_name AS "voiceName", h.text, h.created_at AS "spokenAt"
       FROM history_item h JOIN account a ON a.id = h.account_id WHERE h.id = ANY ($1)`,
      [ids],
    );
  }

  /** How many items still wait for their fingerprint: a clip of those is not found yet. */
  async countDue(): Promise<number> {
    const [row] = await this.dataSource.query<{ due: number }[]>(
      'SELECT count(*)::int AS due FROM (SELECT FROM history_fingerprint WHERE due_at IS NOT NULL LIMIT 100000) waiting',
    );
    return row!.due;
  }
}
