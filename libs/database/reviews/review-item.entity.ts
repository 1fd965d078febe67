import type { DeskReason } from '@app/domain/reviews/desk-reasons';
import type { RecordingGrade, ReviewState } from '@app/domain/reviews/review-state';
import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/**
 * What a person decided about an item: the grade stayed, they gave another one, or they gave one without seeing it; or no one had to
 * listen any more.
 */
export type DeskDecision = 'confirmed' | 'overridden' | 'seconded' | 'superseded';

/** The verdict on a voice before a decision. */
export interface ReplacedVerdict {
  generation: number;
  state: ReviewState;
}

/**
 * A voice that waits for the ear of a person, or did. A voice has at most one
 * that is open, and at most one for a second listening.
 */
@Entity('review_item')
@Index('review_item_open_idx', ['voiceId'], {
  unique: true,
  where: 'decided_at IS NULL AND first_listening IS NULL',
})
@Index('review_item_blind_idx', ['voiceId'], {
  unique: true,
  where: 'decided_at IS NULL AND first_listening IS NOT NULL',
})
@Index('review_item_batch_idx', ['batchBy', 'decidedAt'], { where: 'batch_id IS NOT NULL' })
@Index('review_item_queue_idx', { synchronize: false })
@Index('review_item_decided_idx', ['decidedAt'], { where: 'decided_at IS NOT NULL' })
export class ReviewItem {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  voiceId: string;

  @ManyToOne('Voice', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'voice_id', foreignKeyConstraintName: 'review_item_voice_fk' })
  voice?: { id: string };

  @Column('text', { array: true })
  reasons: DeskReason[];

  /** What a member of staff said when they sent it here. */
  @Column('text', { nullable: true })
  note: string | null;

  /** Higher comes first. */
  @Column('int')
  priority: number;

  /** When a person should have decided: the target of its reasons and its account's tier. */
  @Column('timestamptz')
  dueAt: Date;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Column('uuid', { nullable: true })
  assignedTo: string | null;

  /** Who took it last. After `takenUntil` anybody may take it. */
  @Column('uuid', { nullable: true })
  takenBy: string | null;

  @Column('timestamptz', { nullable: true })
  takenUntil: Date | null;

  @Column('timestamptz', { nullable: true })
  snoozedUntil: Date | null;

  @Column('text', { nullable: true })
  snoozeNote: string | null;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  /** The e-mail address of a member of staff, or the process that closed it. */
  @Column('text', { nullable: true })
  decidedBy: string | null;

  @Column('text', { nullable: true })
  decision: DeskDecision | null;

  @Column('text', { nullable: true })
  decidedGrade: RecordingGrade | null;

  /** What was decided together, by one member of staff; null for what was not decided at the desk. */
  @Column('uuid', { nullable: true })
  batchId: string | null;

  @Column('uuid', { nullable: true })
  batchBy: string | null;

  /** What the decision has replaced; null when it cannot be undone. */
  @Column('jsonb', { nullable: true })
  replaced: ReplacedVerdict | null;

  /** The listening that a second person repeats without seeing any grade; null for any other item. */
  @Column('uuid', { nullable: true })
  firstListening: string | null;

  /** Who has listened first, and may not listen again. */
  @Column('uuid', { nullable: true })
  firstListener: string | null;
}
