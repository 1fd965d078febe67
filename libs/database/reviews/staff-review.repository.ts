import { REVIEW_VOICE, type RecordingGrade } from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Review } from '../voices/review.entity';
import type { Conditions } from '../common/conditions';
import { Voice } from '../voices/voice.entity';
import { addReviewEvent, type Transition } from '../voices/review-events';
import type { ReplacedVerdict } from './review-item.repository';
import { closeReviewItem } from './review-item.repository';
import { voiceConditions, type StaffVoiceFilter } from '../voices/staff-voice-filter';

interface ManualGrade {
  grade: RecordingGrade;
  /** What the customer reads. */
  reason: string;
}

/** What staff do to reviews. */
@Injectable()
export class StaffReviewRepository {
  /**
   * Locks a voice until the transaction ends, with the version of its review: the number of its latest event. Null when
   * the voice does not exist.
   */
  async lock(voiceId: string, em: EntityManager): Promise<{ voice: Voice; version: number } | null> {
    const voice = await em.findOne(Voice, { where: { id: voiceId }, lock: { mode: 'pessimistic_write' } });
    if (!voice) return null;
    const [row] = await em.query<{ version: string | null }[]>(
      'SELECT max(id) AS version FROM review_event WHERE voice_id = $1',
      [voiceId],
    );
    return { voice, version: Number(row?.version ?? 0) };
  }

  /** The latest verdict on a voice, or null before the first. */
  async findVerdict(voiceId: string, em: EntityManager): Promise<Review | null> {
    return em.findOne(Review, { where: { voiceId }, order: { generation: 'DESC' } });
  }

  /**
   * Gives a settled review a grade of a person's own: a generation in which nothing is measured. If the voice is on the
   * review desk, that is decided with it.
   */
  async markOverridden(
    voice: Voice,
    { grade, reason }: ManualGrade,
    actor: string,
    em: EntityManager,
  ): Promise<void> {
    const generation = voice.reviewGeneration + 1;
    const latest = await this.findVerdict(voice.id, em);
    if (!latest) throw new Error(`Voice ${voice.id} is ${voice.reviewState} without a review.`);
    const { audioDigest, ruleset, measurements, impairments, secondOpinion, samples } = latest;
    const decision = { grade, reason, score: null, decidedBy: actor, lowConfidence: false, tookMs: 0 };
    await em.insert(Review, {
      voiceId: voice.id,
      generation,
      audioDigest,
      ruleset,
      measurements,
      impairments,
      secondOpinion,
      samples,
      ...decision,
    });
    await em.query(
      `UPDATE voice SET review_state = 'overridden', review_generation = $2, review_token = NULL, review_touched_at = now(),
         recording_quality = $3, recording_quality_reason = $4 WHERE id = $1`,
      [voice.id, generation, grade, reason],
    );
    const numbered = { ...voice, reviewGeneration: generation };
    await addReviewEvent(numbered, { to: 'overridden', cause: `${grade}: ${reason}`, actor }, em);
    await closeReviewItem(voice.id, { by: actor, decision: 'overridden', grade }, em);
  }

  /** Puts an earlier verdict in the place of a person's grade, as a separate generation. */
  async restore(
    voice: Voice,
    { generation, state }: ReplacedVerdict,
    actor: string,
    em: EntityManager,
  ): Promise<void> {
    const next = voice.reviewGeneration + 1;
    const restored = await em.query<{ grade: RecordingGrade; reason: string }[]>(
      `INSERT INTO review (voice_id, generation, audio_digest, ruleset, measurements, impairments, second_opinion, score, grade,
         reason, low_confidence, samples, decided_by, took_ms)
       SELECT voice_id, $3, audio_digest, ruleset, measurements, impairments, second_opinion, score, grade, reason,
         low_confidence, samples, decided_by, took_ms FROM review WHERE voice_id = $1 AND generation = $2
       RETURNING grade, reason`,
      [voice.id, generation, next],
    );
    const { grade, reason } = restored[0]!;
    await em.query(
      `UPDATE voice SET review_state = $2, review_generation = $3, review_token = NULL, review_touched_at = now(),
         recording_quality = $4, recording_quality_reason = $5 WHERE id = $1`,
      [voice.id, state, next, grade, reason],
    );
    const numbered = { ...voice, reviewGeneration: next };
    await addReviewEvent(numbered, { to: state, cause: `undone: ${grade} again`, actor }, em);
  }

  /** Gives a review up: no attempt may write any more, and no job of it is delivered. */
  async markCancelled(
    voice: Voice,
    { cause, actor }: Omit<Transition, 'to'>,
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `UPDATE voice SET review_state = 'cancelled', review_token = NULL, review_touched_at = now() WHERE id = $1`,
      [voice.id],
    );
    await em.query('DELETE FROM outbox WHERE voice_id = $1 AND job = $2', [voice.id, REVIEW_VOICE]);
    await addReviewEvent(voice, { to: 'cancelled', cause, actor }, em);
  }

  /**
   * Cancels every review that matches, as `markCancelled` does with one. Returns the ids of their voices, oldest first, at
   * most `limit`. The filter must name states from which that is a transition.
   */
  async cancelReviews(
    filter: StaffVoiceFilter,
    { cause, actor }: Omit<Transition, 'to'>,
    limit: number,
    em: EntityManager,
  ): Promise<string[]> {
    return moveAll(filter, { to: 'cancelled', cause, actor }, limit, em, (value) => [
      `UPDATE voice v SET review_state = 'cancelled', review_token = NULL, review_touched_at = now()
       FROM picked p WHERE v.id = p.id`,
      `DELETE FROM outbox o USING picked p WHERE o.voice_id = p.id AND o.job = ${value(REVIEW_VOICE)}`,
    ]);
  }

  /**
   * Starts a new generation of every review that matches, with its job in the outbox, behind all other jobs. Returns the
   * ids of their voices, oldest first, at most `limit`. The filter must name states from which that is a transition.
   */
  async startGenerations(
    filter: StaffVoiceFilter,
    { cause, actor }: Omit<Transition, 'to'>,
    limit: number,
    em: EntityManager,
  ): Promise<string[]> {
    return moveAll(filter, { to: 'queued', cause, actor }, limit, em, (value) => [
      `UPDATE voice v SET review_state = 'queued', review_generation = p.generation, review_token = NULL,
         review_attempts = 0, review_touched_at = now() FROM picked p WHERE v.id = p.id`,
      `INSERT INTO outbox (job, voice_id, account_id, is_bulk, payload)
       SELECT ${value(REVIEW_VOICE)}, id, account_id, true,
         jsonb_build_object('voiceId', id, 'generation', generation, 'requestId', request_id, 'isBulk', true) FROM picked`,
    ]);
  }
}

/**
 * Moves every review that matches to another state in one statement, with an event of each; the ids of their voices, oldest
 * first. A review that is queued begins its next generation.
 *
 * @param parts statements that change the rows `picked`, with their values
 */
async function moveAll(
  filter: StaffVoiceFilter,
  { to, cause, actor }: Transition,
  limit: number,
  em: EntityManager,
  parts: (value: Conditions['value']) => string[],
): Promise<string[]> {
  const where = voiceConditions(filter);
  const value = (input: unknown) => where.value(input);
  const generation = to === 'queued' ? 'v.review_generation + 1' : 'v.review_generation';
  const rows = await em.query<{ id: string }[]>(
    `WITH picked AS MATERIALIZED (
       SELECT v.id, v.review_state AS state, ${generation} AS generation, v.request_id, v.created_at, v.account_id
       FROM voice v WHERE ${where.sql} ORDER BY v.created_at, v.id LIMIT ${value(limit)} FOR UPDATE),
     noted AS (
       INSERT INTO review_event (voice_id, generation, from_state, to_state, cause, actor)
       SELECT id, generation, state, ${value(to)}, ${value(cause)}, ${value(actor)} FROM picked),
     ${parts(value)
       .map((part, place) => `part_${place} AS (${part})`)
       .join(', ')}
     SELECT id FROM picked ORDER BY created_at, id`,
    where.values,
  );
  return rows.map(({ id }) => id);
}
