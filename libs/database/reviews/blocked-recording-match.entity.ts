import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A voice with a recording of the no-go list. Stored, so that staff who have let it pass are not notified again. */
@Entity('no_go_match')
@Index('no_go_match_voice_idx', ['voiceId'])
export class BlockedRecordingMatch {
  @PrimaryColumn('text')
  noGoVoiceId: string;

  @PrimaryColumn('text')
  voiceId: string;

  @ManyToOne('Voice', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'voice_id', foreignKeyConstraintName: 'no_go_match_voice_fk' })
  voice?: { id: string };

  @Column('real')
  bitErrorRate: number;

  @Column('timestamptz', { default: () => 'now()' })
  foundAt: Date;
}
