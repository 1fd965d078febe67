import type { RecordingGrade } from '@app/domain/reviews/review-state';
import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A grade that a person gave to the recording of a voice, beside the grade by the rules. */
@Entity('listening')
@Index('listening_at_idx', ['listenedAt'])
@Index('listening_voice_idx', ['voiceId'])
export class Listening {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  voiceId: string;

  @ManyToOne('Voice', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'voice_id', foreignKeyConstraintName: 'listening_voice_fk' })
  voice?: { id: string };

  @Column('text')
  audioDigest: string;

  @Column('text')
  grade: RecordingGrade;

  /** The rules of the latest verdict that was not a person's; null when there is none. */
  @Column('text', { nullable: true })
  ruleset: string | null;

  @Column('text', { nullable: true })
  rulesetGrade: RecordingGrade | null;

  /** The reasons of that verdict. */
  @Column('text', { array: true })
  reasonCodes: string[];

  /** The listening that this one seconds, without having seen it; null for a first one. */
  @Column('uuid', { nullable: true })
  firstId: string | null;

  @Column('uuid')
  listenedBy: string;

  @CreateDateColumn({ type: 'timestamptz' })
  listenedAt: Date;
}
