import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** What is kept of a secret: its SHA-256 digest and a hint. The secret itself is shown once and never stored. */
@Entity('api_key_secret')
@Index('api_key_secret_key_idx', ['keyId'])
export class ApiKeySecret {
  @PrimaryColumn('text')
  digest: string;

  @Column('uuid')
  keyId: string;

  @Column('text')
  hint: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
