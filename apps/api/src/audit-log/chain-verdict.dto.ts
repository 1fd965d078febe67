import { DAY_MS } from '@app/domain/common/utc-days';
import type { DayVerdict } from '@app/administration/audit/audit-log';
import { readDay } from '@app/domain/common/times';
import { StringField } from '../http/fields';
import { invalid } from '../http/wire-problem';

/** Days that one request verifies. */
const MAX_DAYS = 31;

export class ChainDaysQuery {
  /** The first day, in UTC. */
  @StringField({ max: 10 })
  from: string;

  /** The last day, inclusive; at most 31 days in all. */
  @StringField({ max: 10 })
  to: string;
}

/** @throws ValidationProblem for values that are not days, or too many */
export function readDays({ from, to }: ChainDaysQuery): { first: string; last: string } {
  for (const [name, input] of Object.entries({ from, to })) {
    if (readDay(input) === null) throw refuse(name, input, 'a day such as 2026-01-31');
  }
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > MAX_DAYS) {
    throw refuse('to', to, `a day from ${from} on, and at most ${MAX_DAYS} days in all`);
  }
  return { first: from, last: to };
}

function refuse(name: string, input: string, accepted: string) {
  const msg = `Input should be ${accepted}`;
  return invalid('query', { type: 'value_error', path: [name], msg, input, ctx: { accepted } });
}

export interface ChainDayResponse extends ReturnType<typeof toChainDayResponse> {}

export function toChainDayResponse({ day, rows, broken }: DayVerdict) {
  return {
    day,
    /** Events that fit, from the first of the day. */
    rows,
    verified: broken === null,
    /** The first place where the day does not fit. */
    broken: broken && { seq: broken.seq, problem: broken.problem },
  };
}
