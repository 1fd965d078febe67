import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { MOST_CANDIDATES, searchByKeys, type Candidate } from './fingerprint-search';
import type { OtherVoice } from './other-voice';

/** Another recording that is the same one. */
export interface FoundSimilarity {
  digest: string;
  bitErrorRate: number;
  comparedSecs: number;
}

/** A voice with the same recording as another. */
export interface LookAlike extends OtherVoice {
  isIdentical: boolean;
  bitErrorRate: number;
}

/** How recordings sound, and which of them are the same. */
@Injectable()
export class RecordingFingerprintRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Keeps the fingerprint of stored audio, nothing when the audio is gone; and that of a recording which was put on the
   * no-go list before it had one.
   */
  async store(digest: string, steps: Buffer, keys: Int32Array): Promise<void> {
    const values = [digest, steps, Array.from(keys)];
    // Waits for a transaction that puts the recording on the list: the second statement sees it there.
    await this.dataSource.query(
      `INSERT INTO recording_fingerprint (audio_digest, steps, keys)
       SELECT $1, $2, $3::int[] FROM audio_object WHERE digest = $1 FOR KEY SHARE
       ON CONFLICT (audio_digest) DO UPDATE SET steps = excluded.steps, keys = excluded.keys`,
      values,
    );
    await this.dataSource.query(
      'UPDATE no_go_recording SET steps = $2, keys = $3::int[] WHERE audio_digest = $1 AND steps IS NULL',
      values,
    );
  }

  /**
   * Recordings that share something with another one, those that share most first.
   *
   * @param lookups keys of that recording and of its likely copies
   * @returns null when the search takes longer than a second
   */
  async findCandidates(digest: string, lookups: Int32Array): Promise<Candidate[] | null> {
    return searchByKeys(
      this.dataSource,
      `SELECT f.audio_digest AS id, f.steps FROM (
         SELECT audio_digest FROM recording_fingerprint WHERE keys && $1::int[] AND audio_digest <> $2
         ORDER BY (SELECT count(*) FROM unnest(keys) key WHERE key = ANY ($1::int[])) DESC, audio_digest
         LIMIT ${MOST_CANDIDATES}) found JOIN recording_fingerprint f USING (audio_digest)`,
      lookups,
      digest,
    );
  }

  /** Keeps which recordings are the same one as this; nothing of those that are gone. */
  async storeSimilarities(digest: string, found: readonly FoundSimilarity[]): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO recording_likeness (audio_digest, other_digest, bit_error_rate, compared_secs)
       SELECT least($1 COLLATE "C", digest), greatest($1 COLLATE "C", digest), rate, secs
       FROM unnest($2::text[], $3::real[], $4::real[]) AS found (digest, rate, secs)
       WHERE EXISTS (SELECT FROM recording_fingerprint WHERE audio_digest = digest)
         AND EXISTS (SELECT FROM recording_fingerprint WHERE audio_digest = $1)
       ON CONFLICT (audio_digest, other_digest) DO UPDATE
         SET bit_error_rate = excluded.bit_error_rate, compared_secs = excluded.compared_secs`,
      [
        digest,
        found.map((each) => each.digest),
        found.map(({ bitErrorRate }) => bitErrorRate),
        found.map(({ comparedSecs }) => comparedSecs),
      ],
    );
  }

  /** Voices with a recording of this voice: the most alike first, then the oldest. */
  async listLookAlikes(voiceId: string, limit: number): Promise<LookAlike[]> {
    return this.dataSource.query<LookAlike[]>(
      `SELECT * FROM (
         SELECT DISTINCT ON (v.id) v.id AS "voiceId", v.name, v.account_id AS "accountId", a.name AS "accountName",
           v.created_at AS "createdAt", own.id AS "sampleId", s.id AS "otherSampleId",
           alike.rate < 0 AS "isIdentical", greatest(alike.rate, 0)::float8 AS "bitErrorRate"
         FROM voice_sample own CROSS JOIN LATERAL (
           SELECT own.audio_digest AS digest, -1::real AS rate
           UNION ALL SELECT other_digest, bit_error_rate FROM recording_likeness WHERE audio_digest = own.audio_digest
           UNION ALL SELECT audio_digest, bit_error_rate FROM recording_likeness WHERE other_digest = own.audio_digest
         ) alike
         JOIN voice_sample s ON s.audio_digest = alike.digest AND s.voice_id <> own.voice_id
         JOIN voice v ON v.id = s.voice_id LEFT JOIN account a ON a.id = v.account_id
         WHERE own.voice_id = $1 ORDER BY v.id, alike.rate, own.position, s.position) found
       ORDER BY "isIdentical" DESC, "bitErrorRate", "createdAt", "voiceId" LIMIT $2`,
      [voiceId, limit],
    );
  }
}
