import { DAY_MS } from '@app/domain/common/utc-days';
import type { DailyUsageRow, UsageRow, UsageSeries } from '@app/database/credits/usage.repository';
import { MAX_BUCKETS, spansOf, USAGE_INTERVALS, type UsageInterval } from '@app/domain/credits/usage-buckets';
import { checkString, withSchema } from '@app/domain/common/field-checks';
import { readDay } from '@app/domain/common/times';
import { toCsvLine } from '../http/csv';
import { CheckedField, EnumField } from '../http/fields';
import { PageQuery, type Page } from '../http/pagination';
import { checkFlag, isTrue, MAX_UNIX_MS } from '../http/query-checks';
import { invalid, type ValidationProblem } from '../http/wire-problem';
import { DAILY_SERIES, type DailySeries } from './usage.service';
import type { AccountForecast, AccountUsage, Days, StatsQuery, UsageByDay } from './usage.service';
import { checkId } from '../api-keys/api-key-query.dto';

/** What the ledger can break down; the contract's other breakdowns are about what is not recorded here. */
const BREAKDOWNS = ['none', 'user', 'api_keys', 'all_api_keys', 'product_type'] as const;
const METRICS = ['credits', 'tts_characters', 'request_count'] as const;

/** Of one span, and of the range of a log. */
export const MAX_SPAN_SECS = 366 * 86_400;

/** A whole number, as text because it comes in a query. */
const checkNumeral = (minimum: number, maximum: number) =>
  withSchema({ type: 'integer', minimum, maximum }, checkString({ max: 30 }));
const checkMs = checkNumeral(0, MAX_UNIX_MS);
const checkSpan = checkNumeral(1, MAX_SPAN_SECS);

export class CharacterStatsQuery {
  /** In milliseconds. */
  @CheckedField(checkMs)
  start_unix: string;

  /** In milliseconds. */
  @CheckedField(checkMs)
  end_unix: string;

  @CheckedField(checkFlag, { optional: true })
  include_workspace_metrics: string = 'false';

  @EnumField(BREAKDOWNS, { optional: true })
  breakdown_type: (typeof BREAKDOWNS)[number] = 'none';

  @EnumField(USAGE_INTERVALS, { optional: true })
  aggregation_interval: UsageInterval = 'day';

  /** In seconds; instead of the interval. */
  @CheckedField(checkSpan, { optional: true })
  aggregation_bucket_size?: string;

  @EnumField(METRICS, { optional: true })
  metric: (typeof METRICS)[number] = 'credits';
}

export interface CharacterStats {
  time: number[];
  usage: Record<string, number[]>;
}

/**
 * A range with too many spans begins with the account's first day instead: programs that want everything start in 1970.
 *
 * @param openedAtMs when the account was opened, in milliseconds since 1970
 * @throws ValidationProblem naming everything that is not accepted
 */
export function readStatsQuery(query: CharacterStatsQuery, openedAtMs: number): StatsQuery {
  const inputMs = wholeNumber('start_unix', query.start_unix, 0, MAX_UNIX_MS);
  const toMs = wholeNumber('end_unix', query.end_unix, 0, MAX_UNIX_MS);
  if (toMs < inputMs) throw refuse('end_unix', query.end_unix, `at or after start_unix (${inputMs})`);
  const { breakdown_type: breakdown, include_workspace_metrics, aggregation_bucket_size: size } = query;
  const by = SERIES[breakdown];
  if (by === 'key' && !isTrue(include_workspace_metrics))
    throw refuse('include_workspace_metrics', include_workspace_metrics, `true for ${breakdown}`);
  const span = size
    ? wholeNumber('aggregation_bucket_size', size, 1, MAX_SPAN_SECS)
    : query.aggregation_interval;
  const spans = spansOf(inputMs, toMs, span, openedAtMs);
  if (spans === null) {
    throw refuse('end_unix', query.end_unix, `such that the range has at most ${MAX_BUCKETS} spans`);
  }
  return {
    ...spans,
    toMs,
    by,
    isOfUser: breakdown === 'user',
    sum: query.metric === 'request_count' ? 'requests' : 'credits',
  };
}

const SERIES: Record<CharacterStatsQuery['breakdown_type'], UsageSeries> = {
  none: 'none',
  user: 'none',
  api_keys: 'key',
  all_api_keys: 'key',
  product_type: 'operation',
};

const checkDay = withSchema({ type: 'string', format: 'date' }, checkString({ max: 30 }));

export class AccountUsageQuery extends PageQuery {
  /** Only what this key has used. */
  @CheckedField(checkId, { optional: true })
  key_id?: string;

  /** The first day, in UTC; by default 29 days before the last one. */
  @CheckedField(checkDay, { optional: true })
  from?: string;

  /** The last day, in UTC; by default today. */
  @CheckedField(checkDay, { optional: true })
  to?: string;
}

export class DaysQuery {
  /** The first day, in UTC; by default 29 days before the last one. */
  @CheckedField(checkDay, { optional: true })
  from?: string;

  /** The last day, in UTC; by default today. */
  @CheckedField(checkDay, { optional: true })
  to?: string;
}

export class UsageByDayQuery extends DaysQuery {
  /** What usage is grouped by; a key with several tags counts for each of them. */
  @EnumField(DAILY_SERIES, { optional: true })
  by: DailySeries = 'operation';
}

export class UsageExportQuery extends DaysQuery {
  /** What usage is grouped by: key and operation if absent. */
  @EnumField(DAILY_SERIES, { optional: true })
  by?: DailySeries;
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** @throws ValidationProblem for days that are none, in the wrong order or too far apart */
export function readDays({ from: first, to: last }: Partial<Days>, now: Date): Days {
  const to = last ? readUsageDay('to', last) : dayOf(now.getTime());
  const from = first ? readUsageDay('from', first) : dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw refuse('from', from, `at or before ${to}`);
  if (days > MAX_DAYS) throw refuse('from', from, `at most ${MAX_DAYS} days before ${to}`);
  return { from, to };
}

export interface AccountUsageResponse extends Page<{
  day: string;
  key_id: string | null;
  key_name: string | null;
  operation: string;
  credits: number;
  requests: number;
}> {
  from: string;
  to: string;
  /** Over all pages. */
  credits: number;
  requests: number;
}

export function toAccountUsageResponse(usage: AccountUsage, days: Days): AccountUsageResponse {
  return { ...usage, items: usage.items.map(toUsageItem), ...days };
}

/** What was used as CSV with a header, line by line. */
export async function* toUsageCsv(rows: AsyncIterable<UsageRow>): AsyncGenerator<string> {
  // The mark at the beginning makes spreadsheets read UTF-8.
  yield `\ufeff${toCsvLine(['day', 'key_id', 'key', 'operation', 'credits', 'requests'])}`;
  for await (const { day, keyId, keyName, operation, credits, requests } of rows)
    yield toCsvLine([day, keyId, keyName, operation, credits, requests]);
}

/** The same by one series. */
export async function* toUsageCsvBy(
  rows: AsyncIterable<DailyUsageRow>,
  by: DailySeries,
): AsyncGenerator<string> {
  const isKey = by === 'key';
  yield `\ufeff${toCsvLine(['day', ...(isKey ? ['key_id', 'key'] : [by]), 'credits', 'requests'])}`;
  for await (const { day, series, name, credits, requests } of rows)
    yield toCsvLine([day, series, ...(isKey ? [name] : []), credits, requests]);
}

function toUsageItem({ keyId, keyName, ...row }: UsageRow): AccountUsageResponse['items'][number] {
  return { ...row, key_id: keyId || null, key_name: keyName || null };
}

export interface UsageByDayResponse {
  from: string;
  to: string;
  by: DailySeries;
  /** Those that have used most, the first of them most. */
  series: {
    /** Id of the key, the operation, the end user or the tag; null for what has none. */
    id: string | null;
    name: string | null;
    /** One number a day. */
    credits: number[];
    requests: number[];
  }[];
  /** All the others together. */
  others: { count: number; credits: number[]; requests: number[] };
  /** Of all these credits, those that prepaid grants have paid, one number a day; what went back to a grant counts on the day it did. */
  prepaid: number[];
}

export function toUsageByDayResponse(
  { series, others, prepaid }: UsageByDay,
  by: DailySeries,
  days: Days,
): UsageByDayResponse {
  return {
    ...days,
    by,
    series: series.map(({ id, name, ...sums }) => ({ id: id || null, name: name || null, ...sums })),
    others,
    prepaid,
  };
}

export interface UsageForecastResponse extends ReturnType<typeof toForecastResponse> {}

export function toForecastResponse({ basedOnMs, periodEnd, ...forecast }: AccountForecast) {
  return {
    /** Whole days, up to seven, whose use the forecast continues. */
    based_on_days: Math.round(basedOnMs / DAY_MS),
    credits_per_day: forecast.perDay,
    used_at_period_end: forecast.usedAtPeriodEnd,
    /** Null when the credits last until the period ends. */
    runs_out_at: forecast.runsOutAt?.toISOString() ?? null,
    period_end: periodEnd.toISOString(),
  };
}

function readUsageDay(name: string, input: string): string {
  if (readDay(input) !== null && input >= '1970') return input;
  throw refuse(name, input, 'a day such as 2026-01-31, from 1970-01-01 to 9999-12-31');
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function wholeNumber(name: string, input: string, min: number, max: number): number {
  if (/^\d{1,16}$/.test(input) && Number(input) >= min && Number(input) <= max) return Number(input);
  throw refuse(name, input, `a whole number from ${min} to ${max}`);
}

function refuse(name: string, input: string, accepted: string): ValidationProblem {
  const msg = `Input should be ${accepted}`;
  return invalid('query', { type: 'value_error', path: [name], msg, input, ctx: { accepted } });
}
