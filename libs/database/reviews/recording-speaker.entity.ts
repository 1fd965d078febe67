import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** Who speaks in a recording, as a model describes it. Deleted with the audio. */
@Entity('recording_speaker')
@Index('recording_speaker_signature_idx', ['model', 'signature', 'audioDigest'])
export class RecordingSpeaker {
  @PrimaryColumn('text')
  audioDigest: string;

  @ManyToOne('AudioObject', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'audio_digest', foreignKeyConstraintName: 'recording_speaker_audio_fk' })
  audio?: { digest: string };

  /** File name of the model and the beginning of its SHA-256. */
  @Column('text')
  model: string;

  /** Of length 1. */
  @Column('real', { array: true })
  vector: number[];

  /** On which sides of 256 fixed planes the vector lies, see `signatureOf`. */
  @Column({ type: 'bit', length: 256 })
  signature: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
