import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  type Relation,
} from 'typeorm';
import { Voice } from './voice.entity';

/** The recording of a voice. */
@Entity('voice_sample')
@Index('voice_sample_voice_idx', ['voiceId'])
@Index('voice_sample_audio_idx', ['audioDigest'])
export class VoiceSample {
  /** The public `sample_id`. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  voiceId: string;

  @ManyToOne(() => Voice, (voice) => voice.samples, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'voice_id', foreignKeyConstraintName: 'voice_sample_voice_fk' })
  voice: Relation<Voice>;

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

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
