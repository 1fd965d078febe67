import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Requests of a key that are counted in its current minute, over all processes. Lost in a crash of the server. */
@Entity('rate_window')
export class RateWindow {
  @PrimaryColumn('uuid')
  keyId: string;

  @Column('timestamptz')
  endsAt: Date;

  /** Let pass, or granted to a process to let pass. */
  @Column('int')
  used: number;
}
