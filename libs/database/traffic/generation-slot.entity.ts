import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A running generation of an account. Its process renews the slot; otherwise the slot expires. */
@Entity('generation_slot')
@Index('generation_slot_account_idx', ['accountId'])
export class GenerationSlot {
  /** Id of the request. */
  @PrimaryColumn('text')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('timestamptz')
  expiresAt: Date;
}
