import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** What is stored of a secret: its SHA-256 digest and its last four characters. The secret itself is shown once and never stored. */
@Entity('api_key_secret')
@Index('api_key_secret_number_idx', ['keyId', 'number'], { unique: true })
@Index('api_key_secret_last_four_idx', { synchronize: false })
export class ApiKeySecret {
  @PrimaryColumn('text')
  digest: string;

  @Column('uuid')
  keyId: string;

  /** Counts the secrets of a key from 1; the highest is the current one. */
  @Column('int', { default: 1 })
  number: number;

  @Column('text', { name: 'hint' })
  maskedSecret: string;

  /** When it stops working; null for the current one. */
  @Column('timestamptz', { nullable: true })
  retiresAt: Date | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;

  @Column('text', { nullable: true })
  lastUsedAddress: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
