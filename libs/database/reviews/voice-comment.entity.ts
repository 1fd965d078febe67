import { Column, CreateDateColumn, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** What a member of staff noted about a voice, for other staff. */
@Entity('voice_comment')
@Index('voice_comment_voice_idx', ['voiceId', 'writtenAt'])
export class VoiceComment {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  voiceId: string;

  @ManyToOne('Voice', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'voice_id', foreignKeyConstraintName: 'voice_comment_voice_fk' })
  voice?: { id: string };

  @Column('text')
  text: string;

  @Column('uuid')
  writtenBy: string;

  @CreateDateColumn({ type: 'timestamptz' })
  writtenAt: Date;
}
