import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An api process that verifies keys. It says every second that it is alive. */
@Entity('api_process')
export class ApiProcess {
  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  seenAt: Date;
}
