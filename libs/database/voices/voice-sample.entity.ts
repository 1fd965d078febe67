import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A recording of a voice: the preview it was created from, or one of those that were uploaded. */
@Entity('voice_sample')
@Index('voice_sample_voice_idx', ['voiceId'])
@Index('voice_sample_audio_idx', ['audioDigest'])
export class VoiceSample {
  /** The public `sample_id`. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  voiceId: string;

  @ManyToOne('Voice', 'samples', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'voice_id', foreignKeyConstraintName: 'voice_sample_voice_fk' })
  voice: { id: string };

  @Column('text')
  fileName: string;

  @Column('text')
  mediaType: string;

  @Column('int')
  sizeBytes: number;

  @Column('text')
  audioDigest: string;

  @Column('double precision')
  durationSecs: number;

  /** Its place among the samples of the voice, from 0; where samples were deleted, places are left out. */
  @Column('int', { default: 0 })
  position: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
