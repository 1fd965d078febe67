import type { RecordingGrade } from '@app/domain/reviews/review-state';
import type { SecondOpinion } from '@app/domain/reviews/second-opinion';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The verdict on one of several samples. */
export interface SampleVerdict extends Pick<Review, 'grade' | 'score' | 'reason' | 'lowConfidence'> {
  sampleId: string;
  /** Null when the audio could not be decoded; reviews of earlier releases lack it. */
  measurements?: Review['measurements'];
}

/**
 * The verdict of one review generation of a voice: that on its worst sample. Written once, by the attempt that held the
 * fencing token.
 */
@Entity('review')
export class Review {
  @PrimaryColumn('text')
  voiceId: string;

  @PrimaryColumn('int')
  generation: number;

  /** Of the sample that decided. */
  @Column('text')
  audioDigest: string;

  /** Id of the rules that decided. */
  @Column('text')
  ruleset: string;

  /** Everything that was measured; null when the audio could not be decoded. */
  @Column('jsonb', { nullable: true })
  measurements: object | null;

  /** Impairments per reason code, on the ACR scale. */
  @Column('jsonb', { nullable: true })
  impairments: object | null;

  /** What a model said beside the rules; null when there was none. */
  @Column('jsonb', { nullable: true })
  secondOpinion: SecondOpinion | null;

  /** 1 (bad) to 5 (excellent); null when nothing could be measured. */
  @Column('double precision', { nullable: true })
  score: number | null;

  @Column('text')
  grade: RecordingGrade;

  @Column('text')
  reason: string;

  @Column('boolean', { default: false })
  lowConfidence: boolean;

  /** The verdict on each sample, in their order; null for a voice of one. */
  @Column('jsonb', { nullable: true })
  samples: SampleVerdict[] | null;

  /** Who decided: `ruleset`, or a member of staff. */
  @Column('text', { default: 'ruleset' })
  decidedBy: string;

  /** Milliseconds from claim to verdict. */
  @Column('int')
  tookMs: number;

  @Column('timestamptz', { default: () => 'now()' })
  completedAt: Date;
}
