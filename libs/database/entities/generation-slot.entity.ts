import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A generation of an account that is running. Whoever runs it says so again and again; else the slot expires. */
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
