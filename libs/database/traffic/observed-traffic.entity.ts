import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** How often a key was used in one way within one hour. */
@Entity('observed_traffic')
@Index('observed_traffic_hour_idx', ['hour'])
@Index('observed_traffic_address_idx', ['address', 'hour'])
export class ObservedTraffic {
  @PrimaryColumn('uuid')
  keyId: string;

  @PrimaryColumn('timestamptz')
  hour: Date;

  /** Method and path with its placeholders. */
  @PrimaryColumn('text')
  route: string;

  /** Canonical text of the client's address; or `unknown`, or `other` for those that are not counted one by one. */
  @PrimaryColumn('text')
  address: string;

  /** See `libs/domain/traffic/traffic.ts`. */
  @PrimaryColumn('text')
  outcome: string;

  @Column('bigint', { transformer: bigintAsNumber })
  requests: number;

  @Column('timestamptz')
  firstAt: Date;

  @Column('timestamptz')
  lastAt: Date;
}
