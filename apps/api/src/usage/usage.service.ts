import { DAY_MS } from '@app/domain/common/utc-days';
import { AccountRepository } from '@app/database/accounts/account.repository';
import {
  UsageRepository,
  type DailyUsageRow,
  type RankedUsageCell,
  type UsageCell,
  type UsageRow,
  type UsageSeries,
} from '@app/database/credits/usage.repository';
import { forecastCredits, recentMs, type CreditForecast } from '@app/domain/credits/credit-forecast';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@app/domain/keys/caller';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';

/** Series of an account that are shown separately; more colours than these are hard to distinguish. */
const SERIES_SHOWN = 6;
/** Rows of an export that are read at once: each time, all of the days are summed. */
const EXPORT_PAGE = 10_000;

/** The name of the series without a breakdown. */
const ALL = 'All';

/** Days in UTC, both included. */
export interface Days {
  from: string;
  to: string;
}

/** Which series are requested, over which time. */
export interface StatsQuery {
  fromMs: number;
  toMs: number;
  /** Milliseconds since 1970. */
  starts: number[];
  by: UsageSeries;
  /** Whether the series of everything carries the id of the account. */
  isOfUser: boolean;
  sum: 'credits' | 'requests';
}

/** What staff see separately, day by day. */
export const DAILY_SERIES = ['operation', 'key', 'end_user', 'tag'] as const satisfies UsageSeries[];
export type DailySeries = (typeof DAILY_SERIES)[number];

interface CharacterStats {
  time: number[];
  usage: Record<string, number[]>;
}

export interface AccountUsage extends Page<UsageRow> {
  /** Over all pages. */
  credits: number;
  requests: number;
}

/** Sums of each day. */
interface DailySums {
  credits: number[];
  requests: number[];
}

/** What an account has used by day: those that have used most, and all others together. */
export interface UsageByDay {
  series: (DailySums & { id: string; name: string })[];
  others: DailySums & { count: number };
  /** Of all credits together, those that prepaid grants have paid. */
  prepaid: number[];
}

export interface AccountForecast extends CreditForecast {
  /** How much time of use it continues, in milliseconds. */
  basedOnMs: number;
  periodEnd: Date;
}

/** What accounts have used, summed from the ledger. */
@Injectable()
export class UsageService {
  constructor(
    private readonly usage: UsageRepository,
    private readonly accounts: AccountRepository,
  ) {}

  /** When the caller's account was opened, in milliseconds since 1970. */
  async openedAtMs({ key }: Caller): Promise<number> {
    const account = await this.accounts.find(key.accountId);
    return account?.createdAt.getTime() ?? 0;
  }

  /** What the caller's account has used, as series over time. A series without breakdown is always there. */
  async getCharacterStats({ key }: Caller, requested: StatsQuery): Promise<CharacterStats> {
    const { fromMs, toMs, starts: time, by } = requested;
    const range = { from: new Date(fromMs), to: new Date(toMs) };
    const starts = time.map((ms) => new Date(ms));
    const cells = time.length === 0 ? [] : await this.usage.sum(key.accountId, range, starts, by);
    return { time, usage: toSeries(cells, requested, key.accountId) };
  }

  /** What an account, or one of its keys, has used by day, key and operation, for staff. */
  async getAccountUsage(
    { accountId, keyId }: { accountId: string; keyId: string | null },
    days: Days,
    query: PageQuery,
  ): Promise<AccountUsage> {
    const list: ListIdentity = { name: 'usage', filter: { accountId, keyId, ...days } };
    const { limit, after } = readPage(query, list, 3);
    await this.accounts.get(accountId);
    const [day, lastKeyId, operation] = (after ?? []).map(String);
    const position: [string, string, string] | null = after && [day ?? '', lastKeyId ?? '', operation ?? ''];
    const [rows, total] = await Promise.all([
      this.usage.list({ accountId, keyId }, rangeOf(days), { after: position, limit: limit + 1 }),
      this.usage.total({ accountId, keyId }, rangeOf(days)),
    ]);
    const page = toPage(rows, limit, list, total.rows, (row) => [row.day, row.keyId, row.operation]);
    const { credits, requests } = total;
    return { ...page, credits, requests };
  }

  /** All that an account has used by day, key and operation, the newest day first. */
  async exportUsage(accountId: string, days: Days): Promise<AsyncGenerator<UsageRow>> {
    await this.accounts.get(accountId);
    const owner = { accountId, keyId: null };
    return inPages<UsageRow, [string, string, string]>(
      (after) => this.usage.list(owner, rangeOf(days), { after, limit: EXPORT_PAGE }),
      ({ day, keyId, operation }) => [day, keyId, operation],
    );
  }

  /** All that an account has used by day and one series, the newest day first. */
  async exportUsageBy(
    accountId: string,
    days: Days,
    by: DailySeries,
  ): Promise<AsyncGenerator<DailyUsageRow>> {
    await this.accounts.get(accountId);
    return inPages<DailyUsageRow, [string, string]>(
      (after) => this.usage.listDays(accountId, rangeOf(days), { by, after, limit: EXPORT_PAGE }),
      ({ day, series }) => [day, series],
    );
  }

  /** What an account has used on each day, by one series. */
  async getUsageByDay(accountId: string, days: Days, by: DailySeries): Promise<UsageByDay> {
    await this.accounts.get(accountId);
    const range = rangeOf(days);
    const starts = startsOf(range);
    const [cells, ofPrepaid] = await Promise.all([
      this.usage.sumLargest(accountId, range, starts, { by, limit: SERIES_SHOWN }),
      this.usage.sumPrepaid(accountId, range, starts),
    ]);
    const prepaid = starts.map((_, day) => ofPrepaid.find(({ bucket }) => bucket === day)?.credits ?? 0);
    return { ...toUsageByDay(cells, starts.length), prepaid };
  }

  /** Where the credits of an account lead to in its billing period, when it continues as it did lately. */
  async forecast(accountId: string, now: Date): Promise<AccountForecast> {
    const account = await this.accounts.get(accountId);
    const ms = recentMs(account.createdAt, now);
    const range = { from: new Date(now.getTime() - ms), to: now };
    const [{ creditsLeft: left, creditsUsed: used, periodEnd }, { credits }] = await Promise.all([
      this.accounts.getUsage(accountId),
      this.usage.total({ accountId, keyId: null }, range),
    ]);
    const forecast = forecastCredits({ left, used, periodEnd }, { credits, ms }, now);
    return { ...forecast, basedOnMs: ms, periodEnd };
  }
}

function startsOf({ from, to }: { from: Date; to: Date }): Date[] {
  const count = (to.getTime() - from.getTime()) / DAY_MS;
  return Array.from({ length: count }, (_, day) => new Date(from.getTime() + day * DAY_MS));
}

function toUsageByDay(cells: RankedUsageCell[], days: number): Omit<UsageByDay, 'prepaid'> {
  const empty = (): DailySums => ({
    credits: Array<number>(days).fill(0),
    requests: Array<number>(days).fill(0),
  });
  const series = new Map<string, UsageByDay['series'][number]>();
  const others = { count: Math.max(0, (cells[0]?.seriesInAll ?? 0) - SERIES_SHOWN), ...empty() };
  for (const { series: id, name, bucket, credits, requests } of cells) {
    const one = id === null ? others : (series.get(id) ?? { id, name: name ?? '', ...empty() });
    one.credits[bucket]! += credits;
    one.requests[bucket]! += requests;
    if (id !== null && 'id' in one) series.set(id, one);
  }
  return { series: [...series.values()], others };
}

/** Rows that are read in pages, each after the last row of the one before. */
async function* inPages<Row, Place>(
  read: (after: Place | null) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row> {
  let after: Place | null = null;
  do {
    const rows: Row[] = await read(after);
    yield* rows;
    after = rows.length < EXPORT_PAGE ? null : placeOf(rows.at(-1)!);
  } while (after !== null);
}

/** The range from the beginning of the first day to the end of the last one. */
function rangeOf({ from, to }: Days): { from: Date; to: Date } {
  return { from: new Date(from), to: new Date(Date.parse(to) + DAY_MS) };
}

function toSeries(
  cells: UsageCell[],
  { starts, isOfUser, by, sum }: StatsQuery,
  accountId: string,
): Record<string, number[]> {
  const series = new Map<string, number[]>();
  const empty = () => starts.map(() => 0);
  const names = namesOf(cells);
  if (by === 'none') series.set('', empty());
  for (const cell of cells) {
    const values = series.get(cell.series) ?? empty();
    values[cell.bucket] = cell[sum];
    series.set(cell.series, values);
  }
  const whole = isOfUser ? accountId : ALL;
  return Object.fromEntries([...series].map(([id, values]) => [names.get(id) || whole, values]));
}

/** Names of the series by their ids. Keys with the same name are distinguished by their ids. */
function namesOf(cells: UsageCell[]): Map<string, string> {
  const names = new Map(cells.map(({ series, name }) => [series, name]));
  const all = [...names.values()];
  const isShared = (name: string) => all.indexOf(name) !== all.lastIndexOf(name);
  return new Map([...names].map(([id, name]) => [id, isShared(name) ? `${name} (${id})` : name]));
}
