import { mostDifferentBits, signatureOf } from '@app/domain/voices/speaker-vector';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { isStatementTimeout } from '../common/statement-timeout';
import type { OtherVoice } from './other-voice';

/** A voice in which the same person seems to speak. */
export interface SoundAlike extends OtherVoice {
  /** Of the vectors of the two recordings. */
  cosine: number;
}

interface Search {
  voiceId: string;
  /** Only among the voices of this account. */
  accountId: string | null;
  /** The least cosine of recordings of one speaker. */
  cosine: number;
  limit: number;
}

/** Longer than this, no page waits for others who sound alike. */
const SEARCH_MS = 2_000;

/** Who speaks in recordings, and in which voices it is the same person. */
@Injectable()
export class RecordingSpeakerRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Keeps who speaks in stored audio; nothing when the audio is gone. @param vector of length 1 */
  async store(digest: string, model: string, vector: Float32Array): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO recording_speaker (audio_digest, model, vector, signature)
       SELECT $1, $2, $3::real[], $4::bit(256) FROM audio_object WHERE digest = $1
       ON CONFLICT (audio_digest) DO UPDATE
         SET model = excluded.model, vector = excluded.vector, signature = excluded.signature, created_at = now()`,
      [digest, model, Array.from(vector), signatureOf(vector)],
    );
  }

  /** Deletes what an earlier review has stored of a recording. */
  async delete(digest: string): Promise<void> {
    await this.dataSource.query('DELETE FROM recording_speaker WHERE audio_digest = $1', [digest]);
  }

  /** The models that have heard recordings of a voice. */
  async listModels(voiceId: string): Promise<string[]> {
    const rows = await this.dataSource.query<{ model: string }[]>(
      `SELECT DISTINCT r.model FROM voice_sample s JOIN recording_speaker r USING (audio_digest) WHERE s.voice_id = $1
       ORDER BY 1`,
      [voiceId],
    );
    return rows.map(({ model }) => model);
  }

  /**
   * Other voices whose recordings are of the speaker of this voice, the most alike first.
   *
   * @returns null when the search takes longer than two seconds
   */
  async listSoundAlikes(search: Search): Promise<SoundAlike[] | null> {
    try {
      return await this.dataSource.transaction(async (em) => {
        await em.query(`SET LOCAL statement_timeout = ${SEARCH_MS}`);
        return em.query<SoundAlike[]>(search.accountId === null ? AMONG_ALL : AMONG_ACCOUNT, [
          search.voiceId,
          search.cosine,
          search.limit,
          search.accountId ?? mostDifferentBits(search.cosine),
        ]);
      });
    } catch (error) {
      if (isStatementTimeout(error)) return null;
      throw error;
    }
  }
}

/** Vectors have the length 1: their product is the cosine of the angle between them. */
const COSINE = '(SELECT sum(x * y)::float8 FROM unnest(own.vector, other.vector) AS product (x, y))';
const OWN = `own AS MATERIALIZED (
  SELECT s.id, s.position, r.* FROM voice_sample s JOIN recording_speaker r USING (audio_digest) WHERE s.voice_id = $1)`;

/** The voices of pairs of recordings `alike (own_id, own_position, digest, cosine)`. */
const VOICES = `
  SELECT * FROM (
    SELECT DISTINCT ON (v.id) v.id AS "voiceId", v.name, v.account_id AS "accountId", a.name AS "accountName",
      v.created_at AS "createdAt", alike.own_id AS "sampleId", s.id AS "otherSampleId", least(alike.cosine, 1) AS cosine
    FROM alike JOIN voice_sample s ON s.audio_digest = alike.digest AND s.voice_id <> $1
      JOIN voice v ON v.id = s.voice_id LEFT JOIN account a ON a.id = v.account_id
    ORDER BY v.id, alike.cosine DESC, alike.own_position, s.position) found
  ORDER BY cosine DESC, "createdAt", "voiceId" LIMIT $3`;

const AMONG_ALL = `
  WITH ${OWN},
    -- Most are left out by their signatures, which the index has.
    near AS MATERIALIZED (
      SELECT own.audio_digest AS own_digest, r.audio_digest FROM own JOIN recording_speaker r
        ON r.model = own.model AND bit_count(r.signature # own.signature) <= $4::int),
    alike AS (
      SELECT own.id AS own_id, own.position AS own_position, other.audio_digest AS digest, c.cosine
      FROM near JOIN own ON own.audio_digest = near.own_digest
        JOIN recording_speaker other ON other.audio_digest = near.audio_digest, LATERAL (SELECT ${COSINE} AS cosine) c
      WHERE c.cosine >= $2::float8)
  ${VOICES}`;

const AMONG_ACCOUNT = `
  WITH ${OWN},
    alike AS (
      SELECT own.id AS own_id, own.position AS own_position, other.audio_digest AS digest, c.cosine
      FROM voice v JOIN voice_sample s ON s.voice_id = v.id JOIN recording_speaker other USING (audio_digest)
        JOIN own ON own.model = other.model, LATERAL (SELECT ${COSINE} AS cosine) c
      WHERE v.account_id = $4::uuid AND v.id <> $1 AND c.cosine >= $2::float8)
  ${VOICES}`;
