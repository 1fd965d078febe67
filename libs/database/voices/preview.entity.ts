import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A generated preview: at most one voice is created from it. Without audio it is still being spoken, or has failed.
 */
@Entity('preview')
@Index('preview_expires_idx', { synchronize: false })
@Index('preview_origin_idx', { synchronize: false })
@Index('preview_account_idx', ['accountId', 'createdAt', 'id'])
@Index('preview_audio_idx', ['audioDigest'])
@Index('preview_request_idx', ['requestId'])
@Index('preview_pending_idx', ['createdAt'], { where: 'audio_digest IS NULL AND failed_at IS NULL' })
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

  @Column('text', { nullable: true })
  audioDigest: string | null;

  /** 0 until the audio is there. */
  @Column('double precision')
  durationSecs: number;

  /** When it became clear that it gets no audio; its credits were returned. */
  @Column('timestamptz', { nullable: true })
  failedAt: Date | null;

  /** The voice that it is a change of. */
  @Column('text', { nullable: true })
  remixedVoiceId: string | null;

  /** That voice and those that it came of, the nearest first; empty for a design. */
  @Column('text', { array: true, default: () => "'{}'" })
  originVoiceIds: string[];

  /** The caller's name for a series of remixes, and for the round in it. */
  @Column('text', { nullable: true })
  remixingSessionId: string | null;

  @Column('text', { nullable: true })
  remixingSessionIterationId: string | null;

  /** The voice that was created from it. */
  @Column('text', { nullable: true })
  voiceId: string | null;

  @Column('text')
  requestId: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
