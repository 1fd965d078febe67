import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A part of the audio of a history item. The parts in their order are one recording. */
@Entity('history_piece')
@Index('history_piece_audio_idx', ['audioDigest'])
export class HistoryPiece {
  @PrimaryColumn('text')
  historyItemId: string;

  /** From 0. */
  @PrimaryColumn('int')
  position: number;

  @Column('text')
  audioDigest: string;

  @Column('int')
  sizeBytes: number;

  @ManyToOne('HistoryItem', 'pieces', { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'history_item_id', foreignKeyConstraintName: 'history_piece_item_fk' })
  item: { id: string };
}
