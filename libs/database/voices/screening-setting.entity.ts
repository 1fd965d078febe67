import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '../common/bigint.transformer';

/** The one row that says how voices are screened. */
@Entity('screening_setting')
export class ScreeningSetting {
  @PrimaryColumn('boolean', { default: true })
  single: true;

  /** Whether the built-in list of profane English words counts, too. */
  @Column('boolean', { default: false })
  profanity: boolean;

  /** Counts changes of this row and of the entries. */
  @Column('bigint', { default: 1, transformer: bigintAsNumber })
  version: number;
}
