import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { MeasuredSample } from './measured-sample.entity';

/** The samples that a review has measured before its verdict. They are deleted with it: see `VoiceRepository`. */
@Injectable()
export class MeasuredSampleRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** What was measured of a voice by these rules. */
  async list(voiceId: string, ruleset: string): Promise<MeasuredSample[]> {
    return this.dataSource.query<MeasuredSample[]>(
      `SELECT sample_id AS "sampleId", voice_id AS "voiceId", verdict, no_go AS "blockedRecordings" FROM measured_sample
       WHERE voice_id = $1 AND verdict ->> 'ruleset' = $2`,
      [voiceId, ruleset],
    );
  }

  /** Stores a measured sample, and that the holder of a fencing token is still at it. False when another attempt took over. */
  async store(
    token: string,
    { sampleId, voiceId, verdict, blockedRecordings }: Omit<MeasuredSample, 'sample'>,
  ): Promise<boolean> {
    const stored = await this.dataSource.query<unknown[]>(
      `WITH claimed AS (
         UPDATE voice SET review_touched_at = now() WHERE id = $1 AND review_token = $2 RETURNING id)
       INSERT INTO measured_sample (sample_id, voice_id, verdict, no_go)
       SELECT $3, id, $4::jsonb, $5::jsonb FROM claimed
       ON CONFLICT (sample_id) DO UPDATE SET verdict = excluded.verdict, no_go = excluded.no_go RETURNING sample_id`,
      [voiceId, token, sampleId, JSON.stringify(verdict), JSON.stringify(blockedRecordings)],
    );
    return stored.length > 0;
  }
}
