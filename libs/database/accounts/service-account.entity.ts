import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A program of a customer, as an owner of keys. */
@Entity('service_account')
@Index('service_account_account_idx', ['accountId', 'createdAt'])
export class ServiceAccount {
  @PrimaryColumn('text')
  id: string;

  @Column('uuid')
  accountId: string;

  @Column('text')
  name: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
