import type { BlockedSimilarity } from '@app/domain/reviews/blocked-recording-findings';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { MOST_CANDIDATES, searchByKeys, type Candidate } from './fingerprint-search';

/** A voice whose recordings staff do not let back. */
export interface BlockedVoice {
  voiceId: string;
  voiceName: string;
  accountId: string;
  recordings: number;
  reason: string;
  setBy: string;
  setAt: Date;
  /** Voices that were found to have one of its recordings and still exist. */
  matches: number;
}

/** The list of recordings that staff do not let back, and the voices that have one. */
@Injectable()
export class BlockedRecordingRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Puts the recordings of a voice on the list. One without a fingerprint gets it when it has been reviewed. False when
   * nothing changes: all of them are there.
   */
  async add(
    voiceId: string,
    { reason, setBy }: { reason: string; setBy: string },
    em: EntityManager,
  ): Promise<boolean> {
    // A review that stores a fingerprint meanwhile waits, and finds the recording on the list.
    await em.query(
      `SELECT FROM audio_object WHERE digest IN (SELECT audio_digest FROM voice_sample WHERE voice_id = $1)
       ORDER BY digest FOR UPDATE`,
      [voiceId],
    );
    const added = await em.query<unknown[]>(
      `INSERT INTO no_go_recording (voice_id, audio_digest, steps, keys, voice_name, account_id, reason, set_by)
       SELECT DISTINCT ON (s.audio_digest) v.id, s.audio_digest, f.steps, coalesce(f.keys, '{}'), v.name, v.account_id, $2, $3
       FROM voice v JOIN voice_sample s ON s.voice_id = v.id LEFT JOIN recording_fingerprint f USING (audio_digest)
       WHERE v.id = $1
       ON CONFLICT (voice_id, audio_digest) DO UPDATE SET steps = excluded.steps, keys = excluded.keys
         WHERE no_go_recording.steps IS NULL AND excluded.steps IS NOT NULL
       RETURNING 1`,
      [voiceId, reason, setBy],
    );
    return added.length > 0;
  }

  /** Takes the recordings of a voice off the list, and what was found with them. */
  async remove(voiceId: string, em: EntityManager): Promise<void> {
    await em.query('DELETE FROM no_go_match WHERE no_go_voice_id = $1', [voiceId]);
    await em.query('DELETE FROM no_go_recording WHERE voice_id = $1', [voiceId]);
  }

  /** A voice on the list, locked until the transaction ends, or null. */
  async lock(voiceId: string, em: EntityManager): Promise<BlockedVoice | null> {
    await em.query('SELECT FROM no_go_recording WHERE voice_id = $1 FOR UPDATE', [voiceId]);
    return this.find(voiceId, em);
  }

  async find(voiceId: string, em: EntityManager = this.dataSource.manager): Promise<BlockedVoice | null> {
    const [found] = await em.query<BlockedVoice[]>(
      `${BLOCKED_VOICES} WHERE voice_id = $1 GROUP BY voice_id`,
      [voiceId],
    );
    return found ?? null;
  }

  /** One page of the list, the latest first. */
  async list({
    limit,
    after,
  }: {
    limit: number;
    after: { at: string; id: string } | null;
  }): Promise<(BlockedVoice & { at: string })[]> {
    return this.dataSource.query<(BlockedVoice & { at: string })[]>(
      `SELECT * FROM (${BLOCKED_VOICES} GROUP BY voice_id) listed
       WHERE $1::text IS NULL OR (at::timestamptz, "voiceId") < ($1::timestamptz, $2::text)
       ORDER BY at::timestamptz DESC, "voiceId" DESC LIMIT $3`,
      [after?.at ?? null, after?.id ?? null, limit],
    );
  }

  async count(): Promise<number> {
    const [row] = await this.dataSource.query<{ total: number }[]>(
      'SELECT count(DISTINCT voice_id)::int AS total FROM no_go_recording',
    );
    return row!.total;
  }

  /**
   * Recordings of the list that share something with another one, and are not of its voice: those that share most first.
   *
   * @param lookups keys of that recording and of its likely copies
   * @returns null when the search takes longer than a second
   */
  async findCandidates(voiceId: string, lookups: Int32Array): Promise<Candidate[] | null> {
    return searchByKeys(
      this.dataSource,
      `SELECT voice_id AS id, steps FROM no_go_recording
       WHERE keys && $1::int[] AND steps IS NOT NULL AND voice_id <> $2
       ORDER BY (SELECT count(*) FROM unnest(keys) key WHERE key = ANY ($1::int[])) DESC, voice_id
       LIMIT ${MOST_CANDIDATES}`,
      lookups,
      voiceId,
    );
  }

  /** Voices of the list with the same bytes, other than this voice. */
  async findIdentical(voiceId: string, digest: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT voice_id AS id FROM no_go_recording WHERE audio_digest = $1 AND voice_id <> $2',
      [digest, voiceId],
    );
    return rows.map(({ id }) => id);
  }

  /** Keeps that a voice has these recordings of the list; returns those that were not known of it. */
  async addMatches(
    voiceId: string,
    found: readonly BlockedSimilarity[],
    em: EntityManager,
  ): Promise<Pick<BlockedVoice, 'voiceId' | 'voiceName' | 'reason'>[]> {
    return em.query(
      `WITH added AS (
         INSERT INTO no_go_match (no_go_voice_id, voice_id, bit_error_rate)
         SELECT id, $1, min(rate) FROM unnest($2::text[], $3::real[]) AS found (id, rate) GROUP BY id
         ON CONFLICT DO NOTHING RETURNING no_go_voice_id)
       SELECT DISTINCT ON (n.voice_id) n.voice_id AS "voiceId", n.voice_name AS "voiceName", n.reason
       FROM added a JOIN no_go_recording n ON n.voice_id = a.no_go_voice_id`,
      [
        voiceId,
        found.map(({ blockedVoiceId }) => blockedVoiceId),
        found.map(({ bitErrorRate }) => bitErrorRate),
      ],
    );
  }

  /** The voices of the list that this one has a recording of. */
  async listMatches(
    voiceId: string,
  ): Promise<
    (Pick<BlockedVoice, 'voiceId' | 'voiceName' | 'reason'> & { bitErrorRate: number; foundAt: Date })[]
  > {
    return this.dataSource.query(
      `SELECT DISTINCT ON (n.voice_id) n.voice_id AS "voiceId", n.voice_name AS "voiceName", n.reason,
         m.bit_error_rate::float8 AS "bitErrorRate", m.found_at AS "foundAt"
       FROM no_go_match m JOIN no_go_recording n ON n.voice_id = m.no_go_voice_id WHERE m.voice_id = $1
       ORDER BY n.voice_id LIMIT 100`,
      [voiceId],
    );
  }
}

const BLOCKED_VOICES = `SELECT voice_id AS "voiceId", min(voice_name) AS "voiceName", min(account_id::text) AS "accountId",
    count(*)::int AS recordings, min(reason) AS reason, min(set_by) AS "setBy", min(set_at) AS "setAt", min(set_at)::text AS at,
    (SELECT count(*)::int FROM no_go_match m WHERE m.no_go_voice_id = no_go_recording.voice_id) AS matches
  FROM no_go_recording`;
