import { Column, PrimaryGeneratedColumn } from 'typeorm';

/** A request with a key. Only the newest of each key are stored. */
export abstract class RecordedRequest {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id: string;

  @Column('uuid')
  keyId: string;

  /** When it was refused, or had its whole response. */
  @Column('timestamptz')
  at: Date;

  @Column('text')
  route: string;

  /** As in `observed_traffic`. */
  @Column('text')
  address: string;

  @Column('int')
  status: number;

  @Column('text')
  requestId: string;
}
