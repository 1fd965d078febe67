import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A preview that was played and not chosen: one pair of feedback for training (chosen over rejected). */
@Entity('preview_preference')
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

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
