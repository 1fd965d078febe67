import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where the audit chain of a day ends. */
@Entity('audit_head')
export class AuditHeadRow {
  @PrimaryColumn('date')
  day: string;

  @Column('int')
  seq: number;

  @Column('text')
  hash: string;

  /** Time of the last row. */
  @Column('timestamptz')
  at: Date;
}
