import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import type { JourneyMoment } from '@app/domain/voices/voice-journey';
import type { RecordingGrade, ReviewState } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { FAILED_SQL } from '../common/review-state-sql';
import { ReviewEvent } from './review-event.entity';
import { Review } from './review.entity';
import { Voice } from './voice.entity';
import { ReviewAppeal } from './review-appeal.entity';
import {
  CAUSES,
  LAST_FAILURE,
  STAFF_VOICE_ORDERS,
  voiceConditions,
  type StaffVoiceFilter,
  type StaffVoiceOrder,
} from './staff-voice-filter';

interface StaffVoicePage {
  order: StaffVoiceOrder;
  descending: boolean;
  /** Where the page starts: after the voice with this value and id. */
  after: { value: string; id: string } | null;
  limit: number;
}

/** A voice in a list, with its position there. */
export interface VoiceRow {
  id: string;
  name: string;
  accountId: string;
  /** Null when the account is gone. */
  accountName: string | null;
  tags: string[];
  state: ReviewState;
  grade: RecordingGrade | null;
  reason: string | null;
  attempts: number;
  /** Why the last failed attempt failed. */
  failure: string | null;
  createdAt: Date;
  touchedAt: Date;
  position: string;
}

/** The stored measurements of a voice's recording; null when none were taken. */
export interface MeasuredVoice {
  id: string;
  name: string;
  state: ReviewState;
  measurements: RecordingMeasurements | null;
}

/** Reviews that failed of the same. */
export interface FailureCause {
  /** For `StaffVoiceFilter.causeGroup`. */
  id: string;
  /** Its first line. */
  cause: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  /** Of the worker in which the first one failed; null when its start is not recorded (any more), or no worker failed. */
  release: string | null;
}

/** A voice with everything that is known of its review. */
export interface VoiceRecord {
  voice: Voice;
  accountName: string | null;
  /** Newest first. */
  reviews: Review[];
  /** Oldest first. */
  events: ReviewEvent[];
  /** The latest appeal of the customer. */
  appeal: ReviewAppeal | null;
  /** What happened before its reviews, and what beside them, in an order that holds for the same instant. */
  moments: { before: JourneyMoment[]; beside: JourneyMoment[] };
}

/**
 * How a voice came to be: the preview and the recordings that it has; and when a person decided about it at the review desk,
 * which comes before what became of its review in the same transaction. Second listenings leave no trace on the voice.
 */
const MOMENTS_BEFORE = `
  SELECT 'designed' AS state, p.created_at AS at FROM preview p WHERE p.id = $2
  UNION ALL SELECT 'previewed', least(v.created_at, greatest(p.created_at, a.created_at))
    FROM voice v JOIN preview p ON p.id = $2 LEFT JOIN audio_object a ON a.digest = p.audio_digest WHERE v.id = $1
  UNION ALL SELECT 'created', created_at FROM voice WHERE id = $1
  UNION ALL (SELECT DISTINCT 'recording_stored', created_at FROM voice_sample WHERE voice_id = $1)
  UNION ALL SELECT 'decided_by_a_person', decided_at FROM review_item
    WHERE voice_id = $1 AND decided_at IS NOT NULL AND first_listening IS NULL`;

const MOMENTS_BESIDE = `
  SELECT 'appealed' AS state, created_at AS at FROM review_appeal WHERE voice_id = $1
  UNION ALL SELECT 'waiting_for_a_person', created_at FROM review_item
    WHERE voice_id = $1 AND first_listening IS NULL
  UNION ALL SELECT 'appeal_answered', answered_at FROM review_appeal WHERE voice_id = $1 AND answered_at IS NOT NULL
  UNION ALL (SELECT replace(action, 'voice.', ''), at FROM audit_event
    WHERE target_id = $1 AND action IN ('voice.held', 'voice.taken_down', 'voice.released') ORDER BY id)`;

/** Reads voices and their reviews for people, whosoever they are. */
@Injectable()
export class StaffVoiceRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** One page of voices with their positions. */
  async list(
    filter: StaffVoiceFilter,
    { order, descending, after, limit }: StaffVoicePage,
    em: EntityManager = this.dataSource.manager,
  ): Promise<VoiceRow[]> {
    const { value, type } = STAFF_VOICE_ORDERS[order];
    const direction = descending ? 'DESC' : 'ASC';
    const where = voiceConditions(filter);
    if (after) {
      const place = `(${where.value(after.value)}::${type}, ${where.value(after.id)})`;
      where.add(`(${value}, v.id) ${descending ? '<' : '>'} ${place}`);
    }
    return em.query<VoiceRow[]>(
      `SELECT v.id, v.name, v.account_id AS "accountId", a.name AS "accountName", v.tags,
         v.review_state AS state, v.recording_quality AS grade, v.recording_quality_reason AS reason, v.review_attempts AS attempts,
         ${LAST_FAILURE} AS failure, v.created_at AS "createdAt", v.review_touched_at AS "touchedAt",
         (${value})::text AS position
       FROM voice v LEFT JOIN account a ON a.id = v.account_id
       WHERE ${where.sql} ORDER BY ${value} ${direction}, v.id ${direction} LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  /** How many voices match; counts no further than `atMost`. */
  async count(
    filter: StaffVoiceFilter,
    atMost: number | null = null,
    em: EntityManager = this.dataSource.manager,
  ): Promise<number> {
    const where = voiceConditions(filter);
    const [row] = await em.query<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM (SELECT FROM voice v WHERE ${where.sql} LIMIT ${atMost ?? 'ALL'}) counted`,
      where.values,
    );
    return row!.total;
  }

  /** A voice of any account with its reviews and their history, or null. */
  async find(id: string): Promise<VoiceRecord | null> {
    const em = this.dataSource.manager;
    const [voice, reviews, events, appeal] = await Promise.all([
      em.findOne(Voice, { where: { id }, relations: { samples: true } }),
      em.find(Review, { where: { voiceId: id }, order: { generation: 'DESC' } }),
      em.find(ReviewEvent, { where: { voiceId: id }, order: { id: 'ASC' } }),
      em.findOne(ReviewAppeal, { where: { voiceId: id }, order: { generation: 'DESC' } }),
    ]);
    if (!voice) return null;
    const [[account], before, beside] = await Promise.all([
      em.query<{ name: string }[]>('SELECT name FROM account WHERE id = $1', [voice.accountId]),
      em.query<JourneyMoment[]>(MOMENTS_BEFORE, [id, voice.previewId]),
      em.query<JourneyMoment[]>(MOMENTS_BESIDE, [id]),
    ]);
    const moments = { before, beside };
    return { voice, accountName: account?.name ?? null, reviews, events, appeal, moments };
  }

  /** The stored measurements of voices that match, by id from `afterId` on. */
  async listMeasured(filter: StaffVoiceFilter, afterId: string, limit: number): Promise<MeasuredVoice[]> {
    const where = voiceConditions(filter);
    where.add(`v.id > ${where.value(afterId)}`);
    return this.dataSource.query<MeasuredVoice[]>(
      `SELECT v.id, v.name, v.review_state AS state, r.measurements
       FROM voice v LEFT JOIN LATERAL (
         SELECT measurements - 'places' AS measurements FROM review WHERE voice_id = v.id AND measurements IS NOT NULL
         ORDER BY generation DESC LIMIT 1) r ON true
       WHERE ${where.sql} ORDER BY v.id LIMIT ${where.value(limit)}`,
      where.values,
    );
  }

  /** The ruleset of the review that was completed last, or null before the first. */
  async findLatestRuleset(): Promise<string | null> {
    const [latest] = await this.dataSource.query<{ ruleset: string }[]>(
      `SELECT r.ruleset FROM review_event e JOIN review r USING (voice_id, generation)
       WHERE e.to_state = 'completed' ORDER BY e.id DESC LIMIT 1`,
    );
    return latest?.ruleset ?? null;
  }

  /**
   * What reviews that match last failed of, most frequent first. What differs only in words with digits (ids, ports, paths)
   * is one cause, with `…` for each of those words.
   */
  async listCauses(filter: StaffVoiceFilter, limit: number): Promise<FailureCause[]> {
    const where = voiceConditions(filter);
    return this.dataSource.query<FailureCause[]>(
      `SELECT id, cause, count, "firstAt", "lastAt", (SELECT s.release FROM worker_start s
           WHERE s.name = "firstActor" AND s.at <= "firstAt" ORDER BY s.at DESC LIMIT 1) AS release
       FROM (
         SELECT ${CAUSES.groupOf('f.cause')} AS id, count(*)::int AS count, min(f.at) AS "firstAt", max(f.at) AS "lastAt",
           CASE WHEN min(${CAUSES.firstLine('f.cause')}) = max(${CAUSES.firstLine('f.cause')})
             THEN min(${CAUSES.firstLine('f.cause')}) ELSE min(${CAUSES.alike('f.cause')}) END AS cause,
           (array_agg(f.actor ORDER BY f.at))[1] AS "firstActor"
         FROM voice v LEFT JOIN LATERAL (
           SELECT e.cause, e.at, e.actor FROM review_event e WHERE e.voice_id = v.id
             AND e.to_state IN ${FAILED_SQL} ORDER BY e.id DESC LIMIT 1) f ON true
         WHERE ${where.sql} GROUP BY 1) groups
       ORDER BY count DESC, cause LIMIT ${where.value(limit)}`,
      where.values,
    );
  }
}
