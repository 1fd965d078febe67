import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The secret of a key, or a single-use token, of an account that has left this cell. */
@Entity('moved_secret')
@Index('moved_secret_account_idx', ['accountId'])
export class MovedSecret {
  /** SHA-256, in lower-case hexadecimal. */
  @PrimaryColumn('text')
  digest: string;

  @Column('uuid')
  accountId: string;
}
