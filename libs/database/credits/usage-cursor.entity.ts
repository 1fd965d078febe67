import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** How far the usage of the ledger was sent to a sink, and by which worker it is being sent. */
@Entity('usage_cursor')
export class UsageCursor {
  /** The name of the sink. */
  @PrimaryColumn('text')
  name: string;

  /** The last line of the ledger that has arrived, or that it is not about. */
  @Column('bigint', { transformer: bigintAsNumber })
  lineId: number;

  /** Lines behind it that have arrived beside one that has not. */
  @Column('bigint', { array: true, default: [] })
  ahead: string[];

  /** Lines that have arrived, repeated ones included. */
  @Column('bigint', { default: 0, transformer: bigintAsNumber })
  delivered: number;

  @Column('timestamptz', { nullable: true })
  deliveredAt: Date | null;

  /** What the worker that sends may move the cursor by. */
  @Column('uuid', { nullable: true })
  lease: string | null;

  /** No other worker sends until then; after a failure, no worker. */
  @Column('timestamptz', { nullable: true })
  leasedUntil: Date | null;

  /** Failed attempts since the last success. */
  @Column('int', { default: 0 })
  failures: number;

  @Column('timestamptz', { nullable: true })
  failingSince: Date | null;

  @Column('text', { nullable: true })
  lastError: string | null;
}
