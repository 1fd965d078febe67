import {
  AnalyticsRepository,
  type AnalyticsCell,
  type AnalyticsColumn,
  type AnalyticsFilter,
  type ChargedRequest,
} from '@app/database/credits/analytics.repository';
import type { Caller } from '@app/domain/keys/caller';
import { Injectable } from '@nestjs/common';

/** An account may have many more end users than keys. */
export const MAX_ROWS = 50_000;

/** Milliseconds since 1970; the end is exclusive. */
interface RangeMs {
  fromMs: number;
  toMs: number;
}

export interface UsageTableQuery extends RangeMs {
  /** Beginnings of the spans, in milliseconds since 1970. */
  starts: number[];
  by: readonly AnalyticsColumn[];
  filters: AnalyticsFilter[];
}

export interface RequestLogQuery extends RangeMs {
  filters: AnalyticsFilter[];
  search: string;
  descending: boolean;
  limit: number;
}

/** What the caller's account has used, from its ledger. */
@Injectable()
export class AnalyticsService {
  constructor(private readonly analytics: AnalyticsRepository) {}

  /** What was used, span by span; with one row more than a response may have, there are more than these. */
  async sumUsage({ key }: Caller, { starts, ...query }: UsageTableQuery): Promise<AnalyticsCell[]> {
    if (starts.length === 0) return [];
    const times = starts.map((ms) => new Date(ms));
    return this.analytics.sum(key.accountId, toRange(query), {
      ...query,
      starts: times,
      limit: MAX_ROWS + 1,
    });
  }

  /** The requests that were charged. */
  async listRequests({ key }: Caller, query: RequestLogQuery): Promise<ChargedRequest[]> {
    return this.analytics.listRequests(key.accountId, toRange(query), query);
  }
}

function toRange({ fromMs, toMs }: RangeMs): { from: Date; to: Date } {
  return { from: new Date(fromMs), to: new Date(toMs) };
}
