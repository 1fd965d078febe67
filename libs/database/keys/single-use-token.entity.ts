import type { TokenType } from '@app/domain/keys/single-use-token';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** A token that stands for its key in one request. Only its digest is stored. */
@Entity('single_use_token')
@Index('single_use_token_expires_idx', ['expiresAt'])
@Index('single_use_token_key_idx', ['keyId', 'expiresAt'])
export class SingleUseToken {
  @PrimaryColumn('text')
  digest: string;

  @Column('uuid')
  keyId: string;

  /** Which of the key's secrets requested it: the token ends with that secret. */
  @Column('integer', { default: 1 })
  secretNumber: number;

  @Column('text')
  type: TokenType;

  /** The only address it can be used from, as `formatIpAddress` writes it; null for any. */
  @Column('text', { nullable: true })
  address: string | null;

  /** The most that its request may cost; null for no separate limit. */
  @Column('bigint', { nullable: true, transformer: bigintAsNumber })
  maxCredits: number | null;

  /** What its request must work on; null for anything of the account. */
  @Column('text', { nullable: true })
  pinnedId: string | null;

  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;
}
