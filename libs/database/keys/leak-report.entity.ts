import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A report of a secret scanner that was processed. It names no secret, and is never deleted: it counts once. */
@Entity('leak_report')
export class LeakReport {
  /** SHA-256 of its bytes in hexadecimal. */
  @PrimaryColumn('text')
  digest: string;

  @Column('timestamptz', { default: () => 'now()' })
  receivedAt: Date;
}
