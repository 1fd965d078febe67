import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** When a worker started, and which release it runs. Stored for 30 days. */
@Entity('worker_start')
@Index('worker_start_at_idx', ['at'])
export class WorkerStart {
  @PrimaryColumn('uuid')
  workerId: string;

  @Column('text')
  name: string;

  @Column('text')
  release: string;

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;
}
