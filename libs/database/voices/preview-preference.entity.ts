import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A preview that was played and not chosen: one pair of feedback for training (chosen over rejected). */
@Entity('preview_preference')
@Index('preview_preference_created_idx', ['createdAt', 'chosenPreviewId', 'rejectedPreviewId'])
export class PreviewPreference {
  @PrimaryColumn('text')
  chosenPreviewId: string;

  @PrimaryColumn('text')
  rejectedPreviewId: string;

  @Column('text')
  voiceId: string;

  @Column('uuid')
  accountId: string;

  /** The description both were generated from. */
  @Column('text')
  description: string;

  /** What both speak. Null, like what follows, for pairs whose previews were gone before this was stored. */
  @Column('text', { nullable: true })
  text: string | null;

  @Column('text', { nullable: true })
  engine: string | null;

  /** The parameters of the chosen preview: enough to speak with it again, when its audio has long been deleted. */
  @Column('jsonb', { nullable: true })
  chosenSpec: object | null;

  @Column('jsonb', { nullable: true })
  rejectedSpec: object | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
