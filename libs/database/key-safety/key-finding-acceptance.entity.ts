import type { FindingKind } from '@app/domain/keys/key-findings';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A finding that staff accept until a time. It outlives the finding, which may hold again before then. */
@Entity('key_finding_acceptance')
export class KeyFindingAcceptance {
  @PrimaryColumn('uuid')
  keyId: string;

  @PrimaryColumn('text')
  kind: FindingKind;

  @Column('text')
  reason: string;

  /** E-mail address of the member of staff. */
  @Column('text')
  acceptedBy: string;

  @Column('timestamptz')
  acceptedAt: Date;

  @Column('timestamptz')
  until: Date;
}
