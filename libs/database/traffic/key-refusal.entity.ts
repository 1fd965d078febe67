import { Column, Entity, Index } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';
import { RecordedRequest } from './recorded-request';

/** A request that was refused because of its key. */
@Entity('key_refusal')
@Index('key_refusal_key_idx', ['keyId', 'at'])
@Index('key_refusal_at_idx', ['at'])
@Index('key_refusal_request_idx', ['requestId'])
export class KeyRefusal extends RecordedRequest {
  @Column('text')
  gate: string;

  /** The real reason, which the response does not show. */
  @Column('text')
  reason: string;

  /** What it would have cost, in credits; null where that was not known yet. */
  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  cost: number | null;
}
