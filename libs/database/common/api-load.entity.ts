import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How much a process of the api serves, as of its last report. */
@Entity('api_load')
export class ApiLoad {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  name: string;

  /** Responses since it started. */
  @Column('bigint')
  requests: string;

  /** Responses 401, 402, 403 and 429 among them. */
  @Column('bigint')
  refusals: string;

  /** Since the report before. */
  @Column('real')
  requestsPerSec: number;

  @Column('real')
  refusalsPerSec: number;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  seenAt: Date;
}
