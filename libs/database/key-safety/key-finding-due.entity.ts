import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A key or an account that was changed, so that its findings have to be computed again. */
@Entity('key_finding_due')
export class KeyFindingDue {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  number: string;

  /** Of the key or the account. */
  @Column('uuid')
  id: string;

  /** Of an account: the last of its keys that is done. */
  @Column('uuid', { nullable: true })
  after: string | null;
}
