import type { VoiceSettings } from '@app/domain/voices/voice-settings';
import { Column, CreateDateColumn, Entity, Index, OneToMany, PrimaryColumn, type Relation } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';
import { HistoryPiece } from './history-piece.entity';

/** A text that a voice has spoken. It outlives the voice. */
@Entity('history_item')
@Index('history_item_account_idx', ['accountId', 'createdAt', 'id'])
@Index('history_item_created_idx', ['createdAt'])
export class HistoryItem {
  /** The public `history_item_id`. */
  @PrimaryColumn('text')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('uuid')
  keyId: string;

  @Column('text')
  voiceId: string;

  /** When it spoke. */
  @Column('text')
  voiceName: string;

  /** As requested. */
  @Column('text')
  modelId: string;

  /** The part of the text that was sent. */
  @Column('text')
  text: string;

  @Column('jsonb')
  settings: VoiceSettings;

  /** Credits that were charged. */
  @Column('int')
  characters: number;

  /** Credits that the account had used in the billing period before. */
  @Column('bigint', { transformer: bigintAsNumber })
  charactersBefore: number;

  @Column('text')
  mediaType: string;

  @Column('text')
  outputFormat: string;

  @Column('text')
  requestId: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @OneToMany(() => HistoryPiece, (piece) => piece.item)
  pieces: Relation<HistoryPiece>[];
}
