import type { AppealOutcome } from '@app/domain/reviews/appeal';
import type { RecordingGrade } from '@app/domain/reviews/review-state';
import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** What a customer objects to in a verdict on a voice. A voice has at most one that is open, a verdict at most one ever. */
@Entity('review_appeal')
@Index('review_appeal_open_idx', ['voiceId'], { unique: true, where: 'answered_at IS NULL' })
@Index('review_appeal_verdict_idx', ['voiceId', 'generation'], { unique: true })
@Index('review_appeal_item_idx', ['itemId'])
export class ReviewAppeal {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  voiceId: string;

  @ManyToOne('Voice', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'voice_id', foreignKeyConstraintName: 'review_appeal_voice_fk' })
  voice?: { id: string };

  /** The item of the review desk that it became, or joined. */
  @Column('uuid')
  itemId: string;

  /** The review whose verdict it is about. */
  @Column('int')
  generation: number;

  /** The rules of that verdict; null when a person had graded. */
  @Column('text', { nullable: true })
  ruleset: string | null;

  /** The grade that is appealed. */
  @Column('text')
  grade: RecordingGrade;

  /** What the customer says. */
  @Column('text')
  text: string;

  /** The customer's key, or the e-mail address of the member of staff who filed it for them. */
  @Column('text')
  madeBy: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Column('text', { nullable: true })
  outcome: AppealOutcome | null;

  /** What the customer reads. */
  @Column('text', { nullable: true })
  answer: string | null;

  @Column('text', { nullable: true })
  answeredGrade: RecordingGrade | null;

  @Column('text', { nullable: true })
  answeredBy: string | null;

  @Column('timestamptz', { nullable: true })
  answeredAt: Date | null;
}
