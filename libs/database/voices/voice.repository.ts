import {
  JOB_LOST,
  PENDING_REVIEW_STATES,
  statesBefore,
  type RecordingGrade,
  type ReviewState,
} from '@app/domain/reviews/review-state';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, Not, type EntityManager, type FindOneOptions } from 'typeorm';
import { MeasuredSample } from '../voices/measured-sample.entity';
import { Preview } from './preview.entity';
import { ReviewEvent } from './review-event.entity';
import { Review } from './review.entity';
import { byAlias } from './voice-alias.repository';
import { VoiceSample } from './voice-sample.entity';
import { Voice } from './voice.entity';
import { addReviewEvent, type Transition } from './review-events';

export type NewVoice = Pick<
  Voice,
  | 'id'
  | 'accountId'
  | 'name'
  | 'description'
  | 'labels'
  | 'previewId'
  | 'engine'
  | 'spec'
  | 'language'
  | 'contentDigest'
  | 'requestId'
> &
  Partial<Pick<Voice, 'understood' | 'originVoiceIds'>>;
export type NewSample = Omit<VoiceSample, 'voice' | 'voiceId' | 'position' | 'createdAt'>;

/** A sample to review. */
export type ClaimedSample = Pick<
  VoiceSample,
  'id' | 'audioDigest' | 'mediaType' | 'sizeBytes' | 'durationSecs'
>;

export interface ClaimedReview {
  /** In their order; at least one. */
  samples: ClaimedSample[];
  requestId: string;
  attempts: number;
}

export interface PendingReview {
  voiceId: string;
  generation: number;
  /** Of its job. */
  turn?: number;
}

/**
 * A queue notices the death of a process after 5 seconds at the earliest: half of the lock of a job, see ReviewProcessor. An attempt
 * that lives renews its claim sooner, see ReviewService.
 */
const DIED_AFTER_SECS = 4;

/** A voice `v` whose review is in one of the states $1 and has neither moved for $2 seconds nor a job in the outbox. */
const ABANDONED = `v.review_state = ANY ($1) AND v.review_touched_at < now() - make_interval(secs => $2)
  AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.voice_id = v.id)`;

@Injectable()
export class VoiceRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Stores a voice with its samples, in this order, and the first event of its review; its preview, if it has one, is used up. */
  async insert(voice: NewVoice, samples: NewSample[], em: EntityManager): Promise<void> {
    await em.insert(Voice, voice);
    if (voice.previewId !== null) await em.update(Preview, { id: voice.previewId }, { voiceId: voice.id });
    await em.insert(
      VoiceSample,
      samples.map((sample, position) => ({ ...sample, voiceId: voice.id, position })),
    );
    await em.insert(ReviewEvent, {
      voiceId: voice.id,
      generation: 1,
      fromState: null,
      toState: 'queued',
      cause: 'created',
      actor: 'api',
    });
  }

  /** Stores that previews were played and not chosen, with what is needed to speak them again; known pairs stay. */
  async insertPreferences(
    voice: Pick<NewVoice, 'id' | 'previewId'>,
    rejectedPreviewIds: string[],
    em: EntityManager,
  ): Promise<void> {
    await em.query(
      `INSERT INTO preview_preference (chosen_preview_id, rejected_preview_id, voice_id, account_id, description, text,
         engine, chosen_spec, rejected_spec)
       SELECT c.id, r.id, $1, c.account_id, c.description, c.text, c.engine, c.spec, r.spec
       FROM preview c, preview r WHERE c.id = $2 AND r.id = ANY ($3) ON CONFLICT DO NOTHING`,
      [voice.id, voice.previewId, rejectedPreviewIds],
    );
  }

  /** A voice of this account by its id or an alias, with its samples; null for an unknown one and for another account's. */
  async findOwned(idOrAlias: string, accountId: string): Promise<Voice | null> {
    return this.findNamed({ id: idOrAlias, accountId }, byAlias(idOrAlias, accountId));
  }

  /** A voice of this account by its id or an alias, or one that is shared, with its samples. */
  async findUsable(idOrAlias: string, accountId: string): Promise<Voice | null> {
    const shared = { id: idOrAlias, sharedAt: Not(IsNull()) };
    return this.findNamed([{ id: idOrAlias, accountId }, shared], byAlias(idOrAlias, accountId));
  }

  /** A voice of any account, with its samples. */
  async find(id: string, em: EntityManager = this.dataSource.manager): Promise<Voice | null> {
    return em.findOne(Voice, { where: { id }, relations: { samples: true } });
  }

  /** A voice of this account that is known to exist. */
  async getOwned(id: string, accountId: string, em: EntityManager = this.dataSource.manager): Promise<Voice> {
    return em.findOneOrFail(Voice, { where: { id, accountId }, relations: { samples: true } });
  }

  /** A voice of any account that is known to exist. */
  async get(id: string, em: EntityManager = this.dataSource.manager): Promise<Voice> {
    return em.findOneByOrFail(Voice, { id });
  }

  /** Files a voice under these tags, in place of others; returns it as it was before, or null when there is none. */
  async setTags(id: string, tags: string[], em: EntityManager): Promise<Voice | null> {
    const voice = await em.findOne(Voice, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (voice) await em.update(Voice, { id }, { tags });
    return voice;
  }

  /** The voice created from a preview, or null. */
  async findByPreview(previewId: string, em: EntityManager = this.dataSource.manager): Promise<Voice | null> {
    return em.findOne(Voice, { where: { previewId }, relations: { samples: true } });
  }

  /** How many voice slots the account uses. */
  async countSlots(accountId: string, em: EntityManager = this.dataSource.manager): Promise<number> {
    return em.countBy(Voice, { accountId });
  }

  /**
   * Claims a review generation with a new fencing token: the holder of an older token cannot write. Null when the
   * generation is obsolete (decided, superseded, or the voice is gone). Counts an attempt, unless its job was only delivered
   * once more while another attempt works.
   */
  async claimReview(
    voiceId: string,
    generation: number,
    token: string,
    actor: string,
    em: EntityManager,
  ): Promise<ClaimedReview | null> {
    const voice = await this.lockPending(voiceId, generation, em);
    if (!voice) return null;
    const [[row]] = await em.query<[{ attempts: number }[], number]>(
      `UPDATE voice SET review_state = 'running', review_token = $2, review_touched_at = now(),
         review_attempts = review_attempts
           + (review_state <> 'running' OR review_touched_at < now() - make_interval(secs => ${DIED_AFTER_SECS}))::int
       WHERE id = $1 RETURNING review_attempts AS attempts`,
      [voiceId, token],
    );
    await addReviewEvent(voice, { to: 'running', cause: 'claimed', actor }, em);
    return { samples: await this.listSamples(voiceId, em), requestId: voice.requestId, ...row! };
  }

  /** Notes that the holder of a fencing token is still at it. False when another attempt took over. */
  async renewClaim(
    voiceId: string,
    token: string,
    em: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const [, renewed] = await em.query<[unknown[], number]>(
      'UPDATE voice SET review_touched_at = now() WHERE id = $1 AND review_token = $2',
      [voiceId, token],
    );
    return renewed === 1;
  }

  /**
   * Writes a verdict, if `token` is still the review's fencing token. False when it is not: another attempt took over,
   * and nothing was changed.
   */
  async markReviewed(
    token: string,
    to: 'completed' | 'rejected',
    review: Omit<Review, 'completedAt' | 'decidedBy'>,
    actor: string,
    em: EntityManager,
  ): Promise<boolean> {
    const { voiceId, grade, reason } = review;
    const voice = await this.moveFenced(voiceId, token, to, em, { grade, reason });
    if (!voice) return false;
    await em.insert(Review, review);
    await em.delete(MeasuredSample, { voiceId });
    await addReviewEvent(voice, { to, cause: reason, actor }, em);
    return true;
  }

  /** Records that an attempt failed. False when the review has another token: then nothing was changed. */
  async markAttemptFailed(
    voiceId: string,
    token: string,
    transition: Transition & { to: 'retry_wait' | 'stalled' },
    em: EntityManager,
  ): Promise<boolean> {
    const voice = await this.moveFenced(voiceId, token, transition.to, em);
    if (!voice) return false;
    await addReviewEvent(voice, transition, em);
    return true;
  }

  /** Returns a review to its queue: what was claimed with `token` was not an attempt. False when it has another token. */
  async handBack(
    voiceId: string,
    token: string,
    cause: Omit<Transition, 'to'>,
    em: EntityManager,
  ): Promise<boolean> {
    if (!(await this.markAttemptFailed(voiceId, token, { ...cause, to: 'retry_wait' }, em))) return false;
    await em.query('UPDATE voice SET review_attempts = review_attempts - 1 WHERE id = $1', [voiceId]);
    return true;
  }

  /**
   * Reviews that seem abandoned: pending, no job waiting in the outbox, untouched for `idleSecs`. Longest untouched
   * first. Their jobs may still wait in the queue.
   */
  async listAbandoned(
    idleSecs: number,
    limit: number,
    em: EntityManager = this.dataSource.manager,
  ): Promise<PendingReview[]> {
    return em.query<PendingReview[]>(
      `SELECT v.id AS "voiceId", v.review_generation AS generation, coalesce(q.turn, 0) AS turn FROM voice v
         LEFT JOIN queued_review q ON q.voice_id = v.id AND q.generation = v.review_generation WHERE ${ABANDONED}
       ORDER BY v.review_touched_at LIMIT $3`,
      [PENDING_REVIEW_STATES, idleSecs, limit],
    );
  }

  /**
   * Locks a review that is still abandoned. Null when an attempt has claimed it since, or another sweeper holds it.
   */
  async lockAbandoned(review: PendingReview, idleSecs: number, em: EntityManager): Promise<Voice | null> {
    const [found] = await em.query<{ id: string }[]>(
      `SELECT v.id FROM voice v WHERE ${ABANDONED} AND v.id = $3 AND v.review_generation = $4
       FOR UPDATE SKIP LOCKED`,
      [PENDING_REVIEW_STATES, idleSecs, review.voiceId, review.generation],
    );
    return found ? em.findOneByOrFail(Voice, { id: found.id }) : null;
  }

  /** Notes that these reviews were seen waiting in their queue, so that they do not count as untouched. */
  async touchReviews(voiceIds: string[], em: EntityManager = this.dataSource.manager): Promise<void> {
    await em.query(
      'UPDATE voice SET review_touched_at = now() WHERE id = ANY ($1) AND review_state = ANY ($2)',
      [voiceIds, PENDING_REVIEW_STATES],
    );
  }

  /** How many generations in a row, up to the present one, were started for this cause. */
  async countGenerationsInARow(voiceId: string, cause: string, em: EntityManager): Promise<number> {
    const [row] = await em.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM review_event WHERE voice_id = $1 AND to_state = 'queued' AND cause = $2
         AND id > (SELECT coalesce(max(id), 0) FROM review_event
                   WHERE voice_id = $1 AND to_state = 'queued' AND cause <> $2)`,
      [voiceId, cause],
    );
    return row?.count ?? 0;
  }

  /**
   * Starts a new generation of a voice's review; its job is the caller's to enqueue. Everything is measured again, unless the
   * generation replaces one whose job was lost. Returns the new generation.
   *
   * @param attempts attempts that count as done: 0 for a fresh start
   */
  async startGeneration(
    voice: Voice,
    attempts: number,
    { cause, actor }: Omit<Transition, 'to'>,
    em: EntityManager,
  ): Promise<number> {
    const generation = voice.reviewGeneration + 1;
    if (cause !== JOB_LOST) await em.delete(MeasuredSample, { voiceId: voice.id });
    await em.query(
      `UPDATE voice SET review_state = 'queued', review_generation = $2, review_token = NULL, review_attempts = $3,
         review_touched_at = now() WHERE id = $1`,
      [voice.id, generation, attempts],
    );
    await addReviewEvent({ ...voice, reviewGeneration: generation }, { to: 'queued', cause, actor }, em);
    return generation;
  }

  /** Parks a review as a dead letter: staff see it, and nothing retries it automatically. */
  async markStalled(voice: Voice, cause: string, actor: string, em: EntityManager): Promise<void> {
    await em.query(
      `UPDATE voice SET review_state = 'stalled', review_token = NULL, review_touched_at = now() WHERE id = $1`,
      [voice.id],
    );
    await addReviewEvent(voice, { to: 'stalled', cause, actor }, em);
  }

  /** Aliases are looked for last: most requests name an id, and an alias is not the id of a voice. */
  private async findNamed(
    byId: FindOneOptions<Voice>['where'],
    byAlias: FindOneOptions<Voice>['where'],
  ): Promise<Voice | null> {
    const find = (where: FindOneOptions<Voice>['where']) =>
      this.dataSource.manager.findOne(Voice, { where, relations: { samples: true } });
    return (await find(byId)) ?? (await find(byAlias));
  }

  private async listSamples(voiceId: string, em: EntityManager): Promise<VoiceSample[]> {
    const samples = await em.find(VoiceSample, { where: { voiceId }, order: { position: 'ASC', id: 'ASC' } });
    if (samples.length === 0) throw new Error(`Voice ${voiceId} has no sample.`);
    return samples;
  }

  private async lockPending(voiceId: string, generation: number, em: EntityManager): Promise<Voice | null> {
    const voice = await em.findOne(Voice, {
      where: { id: voiceId, reviewGeneration: generation },
      lock: { mode: 'pessimistic_write' },
    });
    // A job may be delivered again while the state says `running`: the newer attempt takes over.
    return voice && (PENDING_REVIEW_STATES as readonly ReviewState[]).includes(voice.reviewState)
      ? voice
      : null;
  }

  private async moveFenced(
    voiceId: string,
    token: string,
    to: ReviewState,
    em: EntityManager,
    verdict?: { grade: RecordingGrade; reason: string },
  ): Promise<Voice | null> {
    const voice = await em.findOne(Voice, {
      where: { id: voiceId, reviewToken: token },
      lock: { mode: 'pessimistic_write' },
    });
    if (!voice || !statesBefore(to).includes(voice.reviewState)) return null;
    await em.query(
      `UPDATE voice SET review_state = $2, review_token = NULL, review_touched_at = now(),
         recording_quality = coalesce($3, recording_quality), recording_quality_reason = coalesce($4, recording_quality_reason)
       WHERE id = $1`,
      [voiceId, to, verdict?.grade ?? null, verdict?.reason ?? null],
    );
    return voice;
  }
}
