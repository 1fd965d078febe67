import { Column, CreateDateColumn, UpdateDateColumn } from 'typeorm';
import { bigintAsNumber } from './bigint.transformer';

/** A row that people change. */
export abstract class Versioned {
  /** Counts changes by people. */
  @Column('bigint', { default: 1, transformer: bigintAsNumber })
  version: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt: Date;
}
