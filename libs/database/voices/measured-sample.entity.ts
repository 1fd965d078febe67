import type { BlockedRecordingFindings } from '@app/domain/reviews/blocked-recording-findings';
import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { Review } from './review.entity';

/** The verdict on one sample. */
export type MeasuredVerdict = { to: 'completed' | 'rejected' } & Pick<
  Review,
  | 'audioDigest'
  | 'ruleset'
  | 'measurements'
  | 'impairments'
  | 'secondOpinion'
  | 'score'
  | 'grade'
  | 'reason'
  | 'lowConfidence'
>;

/** What a review that has not ended found out about one sample: another attempt does not measure it again. */
@Entity('measured_sample')
@Index('measured_sample_voice_idx', ['voiceId'])
export class MeasuredSample {
  @PrimaryColumn('text')
  sampleId: string;

  @ManyToOne('VoiceSample', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'sample_id', foreignKeyConstraintName: 'measured_sample_sample_fk' })
  sample: { id: string };

  @Column('text')
  voiceId: string;

  @Column('jsonb')
  verdict: MeasuredVerdict;

  @Column('jsonb', { name: 'no_go' })
  blockedRecordings: BlockedRecordingFindings;
}
