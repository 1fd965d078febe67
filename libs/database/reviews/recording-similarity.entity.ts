import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** Two recordings that are the same one, encoded differently; the lower digest comes first. */
@Entity('recording_likeness')
@Index('recording_likeness_other_idx', ['otherDigest'])
export class RecordingSimilarity {
  @PrimaryColumn('text')
  audioDigest: string;

  @ManyToOne('RecordingFingerprintRow', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'audio_digest', foreignKeyConstraintName: 'recording_likeness_audio_fk' })
  audio?: { audioDigest: string };

  @PrimaryColumn('text')
  otherDigest: string;

  @ManyToOne('RecordingFingerprintRow', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'other_digest', foreignKeyConstraintName: 'recording_likeness_other_fk' })
  other?: { audioDigest: string };

  /** Share of the bits of their fingerprints that differ: 0 for copies without any loss, below 0.35. */
  @Column('real')
  bitErrorRate: number;

  @Column('real')
  comparedSecs: number;
}
