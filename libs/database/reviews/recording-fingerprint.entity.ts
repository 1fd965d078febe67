import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** How a recording sounds, so that a copy of it is found in any encoding. Deleted with the audio. */
@Entity('recording_fingerprint')
@Index('recording_fingerprint_keys_idx', { synchronize: false })
export class RecordingFingerprintRow {
  @PrimaryColumn('text')
  audioDigest: string;

  @ManyToOne('AudioObject', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'audio_digest', foreignKeyConstraintName: 'recording_fingerprint_audio_fk' })
  audio?: { digest: string };

  /** 32 bits a step, little-endian. */
  @Column('bytea')
  steps: Buffer;

  /** Some of the steps: what the index looks recordings up by. */
  @Column('int', { array: true })
  keys: number[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
