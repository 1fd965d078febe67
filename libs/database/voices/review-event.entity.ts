import type { ReviewState } from '@app/domain/reviews/review-state';
import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** One transition of a voice's review. Append-only. */
@Entity('review_event')
@Index('review_event_voice_idx', ['voiceId', 'id'])
@Index('review_event_at_idx', ['at'])
export class ReviewEvent {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column('text')
  voiceId: string;

  @Column('int')
  generation: number;

  /** Null for the first event of a voice. */
  @Column('text', { nullable: true })
  fromState: ReviewState | null;

  @Column('text')
  toState: ReviewState;

  /** Why, in words: `created`, `claimed`, the error of a failed attempt … */
  @Column('text')
  cause: string;

  /** Which process or member of staff. */
  @Column('text')
  actor: string;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;
}
