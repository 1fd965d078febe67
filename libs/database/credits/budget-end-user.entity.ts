import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** What one end user has used of a budget that each has separately. Only `libs/credits` moves credits. */
@Entity('budget_end_user')
export class BudgetEndUser {
  /** Number of the budget. */
  @PrimaryColumn('int')
  budget: number;

  @PrimaryColumn('text')
  endUser: string;

  /** When it is not that of the budget, the end user has used nothing in the budget's window. */
  @Column('timestamptz')
  windowStart: Date;

  /** With what is held. */
  @Column('bigint', { transformer: bigintAsNumber })
  used: number;
}
