import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Stored audio, addressed by its content: the same bytes are stored once. */
@Entity('audio_object')
export class AudioObject {
  /** SHA-256 of the bytes, hex. */
  @PrimaryColumn('text')
  digest: string;

  @Column('text')
  mediaType: string;

  @Column('int')
  sizeBytes: number;

  /** Null when they are in an object store. */
  @Column('bytea', { nullable: true })
  bytes: Buffer | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
