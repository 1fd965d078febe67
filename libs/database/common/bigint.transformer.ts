import type { ValueTransformer } from 'typeorm';

/** `bigint` columns arrive as text from the driver; ours are counters below 2^53, so a number is exact. */
export const bigintAsNumber: ValueTransformer = {
  to: (value: number | null | undefined) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
