import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A request that was refused because of its key. Only the newest of each key are kept. */
@Entity('key_refusal')
@Index('key_refusal_key_idx', ['keyId', 'at'])
@Index('key_refusal_at_idx', ['at'])
@Index('key_refusal_request_idx', ['requestId'])
export class KeyRefusal {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id: string;

  @Column('uuid')
  keyId: string;

  @Column('timestamptz')
  at: Date;

  @Column('text')
  route: string;

  /** As in `observed_traffic`. */
  @Column('text')
  address: string;

  @Column('text')
  gate: string;

  /** The real reason, which the response does not show. */
  @Column('text')
  reason: string;

  @Column('int')
  status: number;

  @Column('text')
  requestId: string;
}
