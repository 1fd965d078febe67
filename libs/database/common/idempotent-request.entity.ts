import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request that was sent with an `Idempotency-Key`, and its response. For customers it is written in the transaction of its effect. */
@Entity('idempotent_request')
@Index('idempotent_request_created_idx', ['createdAt'])
export class IdempotentRequest {
  /** Or the id of the staff member. */
  @PrimaryColumn('uuid')
  accountId: string;

  @PrimaryColumn('text')
  key: string;

  /** Digest of the request. */
  @Column('text')
  fingerprint: string;

  @Column('json', { name: 'answer', nullable: true })
  response: object | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
