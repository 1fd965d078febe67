import type {
  AnalyticsCell,
  AnalyticsColumn,
  AnalyticsFilter,
  ChargedRequest,
} from '@app/database/credits/analytics.repository';
import { MAX_BUCKETS, spansOf } from '@app/domain/credits/usage-buckets';
import { checkEnum, checkList, checkString } from '@app/domain/common/field-checks';
import { CheckedField, checkObject, EnumField, IntegerField, StringField } from '../http/fields';
import { MAX_UNIX_MS } from '../http/query-checks';
import { invalid, type ValidationProblem } from '../http/wire-problem';
import { MAX_ROWS, type RequestLogQuery, type UsageTableQuery } from './analytics.service';
import { MAX_SPAN_SECS } from './usage.dto';

const MAYBE = { optional: true, nullable: true };

/** What the ledger records, `end_user` beyond the contract; the contract's other columns are about what is not recorded here. */
const COLUMNS = ['product_type', 'hashed_xi_api_key', 'end_user'] as const;
type ColumnName = (typeof COLUMNS)[number];

const STORED: Record<ColumnName, AnalyticsColumn> = {
  product_type: 'operation',
  hashed_xi_api_key: 'key',
  end_user: 'end_user',
};

/** Of columns that hold texts. */
const OPERATIONS = ['in', 'not_in', 'eq', 'neq'] as const;

/** 1 January 2020. */
const MIN_MS = 1_577_836_800_000;
const MAX_RANGE_MS = MAX_SPAN_SECS * 1_000;

class ColumnFilterBody {
  @EnumField(COLUMNS)
  column: ColumnName;

  @EnumField(OPERATIONS)
  operation: (typeof OPERATIONS)[number];

  @CheckedField(checkList(checkString({ max: 200 }), { max: 100 }))
  values: string[];
}

const checkFilters = checkList(checkObject(ColumnFilterBody), { max: 20 });

export class UsageTableBody {
  /** In milliseconds. */
  @IntegerField({ min: MIN_MS, max: MAX_UNIX_MS })
  start_time: number;

  /** In milliseconds, exclusive. */
  @IntegerField({ min: MIN_MS, max: MAX_UNIX_MS })
  end_time: number;

  @IntegerField({ ...MAYBE, min: 1, max: MAX_SPAN_SECS })
  interval_seconds: number | null = null;

  @CheckedField(checkList(checkEnum(COLUMNS), { max: COLUMNS.length }), MAYBE)
  group_by: ColumnName[] | null = null;

  @CheckedField(checkFilters, MAYBE)
  filters: ColumnFilterBody[] | null = null;

  @EnumField(['UTC'], MAYBE)
  time_zone: 'UTC' | null = null;
}

const DEFAULT_INTERVAL_SECS = 60;
const DEFAULT_REQUESTS = 100;

/** One of the two times is needed; the other is 366 days away by default. */
export class RequestLogBody {
  /** In milliseconds. */
  @IntegerField({ ...MAYBE, min: 0, max: MAX_UNIX_MS })
  start_time: number | null = null;

  /** In milliseconds, exclusive. */
  @IntegerField({ ...MAYBE, min: 0, max: MAX_UNIX_MS })
  end_time: number | null = null;

  @IntegerField({ ...MAYBE, min: 1, max: 1_000 })
  limit: number | null = null;

  /** By time; `desc` unless there is only `start_time`. */
  @EnumField(['asc', 'desc'], MAYBE)
  sort: 'asc' | 'desc' | null = null;

  @CheckedField(checkFilters, MAYBE)
  filters: ColumnFilterBody[] | null = null;

  /** A part of a request's id or product. */
  @StringField({ ...MAYBE, max: 200 })
  search: string | null = null;
}

/**
 * A range with too many spans begins with the account's first day instead.
 *
 * @param openedAtMs when the account was opened, in milliseconds since 1970
 * @throws ValidationProblem for a range that ends before it begins or has too many spans
 */
export function readUsageTableBody(body: UsageTableBody, openedAtMs: number): UsageTableQuery {
  const { start_time: startMs, end_time: toMs } = body;
  if (toMs < startMs) throw refuse('end_time', toMs, `at or after start_time (${startMs})`);
  const spans = spansOf(startMs, toMs, body.interval_seconds ?? DEFAULT_INTERVAL_SECS, openedAtMs);
  if (!spans) {
    const accepted = `such that the range has at most ${MAX_BUCKETS} spans`;
    throw refuse('interval_seconds', body.interval_seconds, accepted);
  }
  const by = [...new Set(body.group_by ?? [])].map((name) => STORED[name]);
  return { ...spans, toMs, by, filters: toFilters(body.filters) };
}

/** @throws ValidationProblem without a time, and for times in the wrong order or too far apart */
export function readRequestLogBody(body: RequestLogBody): RequestLogQuery {
  const { start_time: start, end_time: end } = body;
  if (start === null && end === null) throw refuse('start_time', null, 'given, or else end_time');
  const fromMs = start ?? Math.max(0, end! - MAX_RANGE_MS);
  const toMs = end ?? Math.min(MAX_UNIX_MS, start! + MAX_RANGE_MS);
  if (toMs < fromMs) throw refuse('end_time', end, `at or after start_time (${fromMs})`);
  if (toMs - fromMs > MAX_RANGE_MS) throw refuse('end_time', end, 'at most 366 days after start_time');
  return {
    fromMs,
    toMs,
    filters: toFilters(body.filters),
    search: body.search ?? '',
    descending: (body.sort ?? (end === null ? 'asc' : 'desc')) === 'desc',
    limit: body.limit ?? DEFAULT_REQUESTS,
  };
}

function toFilters(filters: ColumnFilterBody[] | null): AnalyticsFilter[] {
  return (filters ?? []).map(({ column, operation, values }) => ({
    column: STORED[column],
    isIn: operation === 'in' || operation === 'eq',
    values,
  }));
}

function refuse(name: string, input: unknown, accepted: string): ValidationProblem {
  const msg = `Input should be ${accepted}`;
  return invalid('body', { type: 'value_error', path: [name], msg, input, ctx: { accepted } });
}

type ColumnType = 'String' | 'Float' | 'DateTime' | 'Int';

export interface TableResponse {
  columns: string[];
  column_types: ColumnType[];
  /** Times are texts in UTC, as 2026-01-31T12:00:00.000Z. */
  rows: (string | number | null)[][];
  /** `credits`, or null where there is none. */
  column_units: (string | null)[];
}

interface Column<T> {
  name: string;
  type: ColumnType;
  unit?: 'credits';
  value: (row: T) => string | number | null;
}

function toTable<T>(columns: Column<T>[], rows: T[]): TableResponse {
  return {
    columns: columns.map(({ name }) => name),
    column_types: columns.map(({ type }) => type),
    rows: rows.map((row) => columns.map(({ value }) => value(row))),
    column_units: columns.map(({ unit }) => unit ?? null),
  };
}

interface Grouped {
  operation: string;
  digest: string | null;
  endUser: string | null;
}

const GROUPS: Record<AnalyticsColumn, Column<Grouped>> = {
  operation: { name: 'product_type', type: 'String', value: ({ operation }) => operation },
  key: { name: 'hashed_xi_api_key', type: 'String', value: ({ digest }) => digest },
  end_user: { name: 'end_user', type: 'String', value: ({ endUser }) => endUser },
};

const CREDITS: Column<{ credits: number }> = {
  name: 'credits',
  type: 'Float',
  unit: 'credits',
  value: ({ credits }) => credits,
};

/** @throws ValidationProblem for more rows than a response may have */
export function toUsageTable(cells: AnalyticsCell[], { starts, by }: UsageTableQuery): TableResponse {
  if (cells.length > MAX_ROWS) throw refuse('group_by', by, `such that there are at most ${MAX_ROWS} rows`);
  const timestamp = ({ bucket }: AnalyticsCell) => new Date(starts[bucket]!).toISOString();
  const columns: Column<AnalyticsCell>[] = [
    { name: 'timestamp', type: 'DateTime', value: timestamp },
    ...by.map((column) => GROUPS[column]),
    CREDITS,
    { name: 'request_count', type: 'Int', value: ({ requests }) => requests },
  ];
  return toTable(columns, cells);
}

const REQUEST_COLUMNS: Column<ChargedRequest>[] = [
  { name: 'timestamp', type: 'DateTime', value: ({ at }) => at.toISOString() },
  { name: 'request_id', type: 'String', value: ({ requestId }) => requestId },
  GROUPS.operation,
  GROUPS.key,
  CREDITS,
  GROUPS.end_user,
];

export function toRequestTable(requests: ChargedRequest[]): TableResponse {
  return toTable(REQUEST_COLUMNS, requests);
}
