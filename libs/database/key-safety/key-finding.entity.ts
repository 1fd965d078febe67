import type { FindingDetail, FindingKind } from '@app/domain/keys/key-findings';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Something about an enabled key that staff may want to change. It is deleted when it no longer holds. */
@Entity('key_finding')
@Index('key_finding_kind_idx', ['kind', 'keyId'])
@Index('key_finding_account_idx', ['accountId', 'kind', 'keyId'])
export class KeyFinding {
  @PrimaryColumn('uuid')
  keyId: string;

  @PrimaryColumn('text')
  kind: FindingKind;

  @Column('uuid')
  accountId: string;

  @Column('timestamptz', { default: () => 'now()' })
  since: Date;

  @Column('jsonb')
  detail: FindingDetail;
}
