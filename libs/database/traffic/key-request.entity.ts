import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A request that was let in and could change something: only the newest of each key are kept. */
@Entity('key_request')
@Index('key_request_key_idx', ['keyId', 'at'])
@Index('key_request_at_idx', ['at'])
@Index('key_request_request_idx', ['requestId'])
export class KeyRequest {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id: string;

  @Column('uuid')
  keyId: string;

  /** When it had its whole response. */
  @Column('timestamptz')
  at: Date;

  @Column('text')
  route: string;

  /** As in `observed_traffic`. */
  @Column('text')
  address: string;

  @Column('int')
  status: number;

  /** From its head to the last byte of its response. */
  @Column('int')
  durationMs: number;

  @Column('text')
  requestId: string;
}
