import { Column, Entity, Index } from 'typeorm';
import { RecordedRequest } from './recorded-request';

/** A request that was let in and could change something. */
@Entity('key_request')
@Index('key_request_key_idx', ['keyId', 'at'])
@Index('key_request_at_idx', ['at'])
@Index('key_request_request_idx', ['requestId'])
export class KeyRequest extends RecordedRequest {
  /** From its head to the last byte of its response. */
  @Column('int')
  durationMs: number;
}
