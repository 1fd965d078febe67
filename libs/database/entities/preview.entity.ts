import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A generated preview: at most one voice is made of it. */
@Entity('preview')
@Index('preview_expires_idx', { synchronize: false })
@Index('preview_account_idx', ['accountId', 'createdAt', 'id'])
@Index('preview_audio_idx', ['audioDigest'])
export class Preview {
  /** The public `generated_voice_id`. */
  @PrimaryColumn('text')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('uuid')
  keyId: string;

  @Column('text')
  description: string;

  /** The text that is spoken. */
  @Column('text')
  text: string;

  @Column('text')
  engine: string;

  /** The engine's parameters, enough to speak with this voice again. */
  @Column('jsonb')
  spec: object;

  /** What the engine understood of the description, and what not. */
  @Column('jsonb')
  understood: object;

  @Column('text')
  language: string;

  @Column('text')
  audioDigest: string;

  @Column('double precision')
  durationSecs: number;

  /** The voice that was made of it. */
  @Column('text', { nullable: true })
  voiceId: string | null;

  @Column('text')
  requestId: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
