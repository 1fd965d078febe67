import type { GradePair } from '@app/domain/reviews/agreement';
import {
  CALIBRATION_FORMAT,
  type CalibrationItem,
  type CalibrationSet,
} from '@app/domain/reviews/calibration-set';
import type { RecordingGrade } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';

/** Recordings in one calibration set, the newest disagreements first. */
const MAX_CALIBRATED = 5_000;

interface NewListening {
  voiceId: string;
  grade: RecordingGrade;
  /** The listening that it seconds; null for a first one. */
  firstId: string | null;
  staffId: string;
}

/** Equal pairs of one week, counted. */
export interface CountedPair {
  /** The Monday that it begins with, in UTC, as 2026-01-26. */
  week: string;
  /** `people`: two of them; `shown` and `blind`: a person who saw the grade of the rules, or did not, and the rules. */
  kind: 'people' | 'shown' | 'blind';
  ruleset: string | null;
  reasonCodes: string[];
  pair: GradePair;
  count: number;
}

/** Grades that people gave to recordings. */
@Injectable()
export class ListeningRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Keeps a grade beside that of the rules, with their reasons. Returns its id. */
  async insert({ voiceId, grade, firstId, staffId }: NewListening, em: EntityManager): Promise<string> {
    const id = randomUUID();
    await em.query(
      `INSERT INTO listening (id, voice_id, audio_digest, grade, ruleset, ruleset_grade, reason_codes, first_id, listened_by)
       SELECT $1, $2, latest.audio_digest, $3, rules.ruleset, rules.grade,
         ARRAY(SELECT split_part(split_part(part, '=', 1), ':', 1) FROM unnest(string_to_array(rules.reason, '; ')) part), $4, $5
       FROM (SELECT audio_digest FROM review WHERE voice_id = $2 ORDER BY generation DESC LIMIT 1) latest
       LEFT JOIN LATERAL (SELECT ruleset, grade, reason FROM review WHERE voice_id = $2 AND decided_by = 'ruleset'
                            AND audio_digest = latest.audio_digest ORDER BY generation DESC LIMIT 1) rules ON true`,
      [id, voiceId, grade, firstId, staffId],
    );
    return id;
  }

  /** Whether this member of staff has ever played the recording of a voice. */
  async hasPlayed(staffId: string, voiceId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      `SELECT FROM audit_event WHERE target_id = $1 AND actor_id = $2 AND action = 'voice.listened' LIMIT 1`,
      [voiceId, staffId],
    );
    return rows.length > 0;
  }

  /** Deletes a listening that was undone. */
  async delete(id: string, em: EntityManager): Promise<void> {
    await em.query('DELETE FROM listening WHERE id = $1', [id]);
  }

  /** Pairs of grades since so many days, counted by week, kind, ruleset and reasons. */
  async countPairs(days: number): Promise<CountedPair[]> {
    const rows = await this.dataSource.query<
      (Omit<CountedPair, 'pair'> & Record<'a' | 'b', RecordingGrade>)[]
    >(
      `SELECT to_char(date_trunc('week', at AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS week, kind, ruleset,
         reason_codes AS "reasonCodes", a, b, count(*)::int AS count
       FROM (
         SELECT s.listened_at AS at, 'people' AS kind, f.ruleset, f.reason_codes, f.grade AS a, s.grade AS b
         FROM listening s JOIN listening f ON f.id = s.first_id
         UNION ALL
         SELECT listened_at, CASE WHEN first_id IS NULL THEN 'shown' ELSE 'blind' END, ruleset, reason_codes, grade, ruleset_grade
         FROM listening WHERE ruleset_grade IS NOT NULL) pair
       WHERE at >= now() - make_interval(days => $1) GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1`,
      [days],
    );
    return rows.map(({ a, b, ...row }) => ({ ...row, pair: [a, b] }));
  }

  /** Recordings that two people have graded, where they or the rules disagree, with what was measured. */
  async listDisagreements(): Promise<CalibrationSet> {
    const items = await this.dataSource.query<CalibrationItem[]>(
      `SELECT f.voice_id, f.audio_digest AS audio_sha256, json_build_array(f.grade, s.grade) AS grades, f.ruleset,
         f.ruleset_grade, f.reason_codes AS reasons,
         (SELECT measurements FROM review r WHERE r.voice_id = f.voice_id AND r.audio_digest = f.audio_digest
            AND r.measurements IS NOT NULL ORDER BY r.generation DESC LIMIT 1) AS measurements
       FROM listening s JOIN listening f ON f.id = s.first_id
       WHERE s.grade <> f.grade OR s.grade IS DISTINCT FROM f.ruleset_grade
       ORDER BY s.listened_at DESC, s.id LIMIT $1`,
      [MAX_CALIBRATED],
    );
    return { format: CALIBRATION_FORMAT, items };
  }
}
