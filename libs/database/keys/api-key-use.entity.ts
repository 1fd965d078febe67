import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** When a key was last used, by any of its secrets. One row a key. */
@Entity('api_key_use')
@Index('api_key_use_last_used_idx', { synchronize: false })
export class ApiKeyUse {
  @PrimaryColumn('uuid')
  keyId: string;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('text', { nullable: true })
  lastUsedAddress: string | null;
}
