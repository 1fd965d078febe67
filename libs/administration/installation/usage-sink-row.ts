import type { UsageSinkState } from './usage-sinks.service';

/** A sink as programs read it; nothing of its token. */
export function toUsageSinkRow({
  sink: { name, format, url, account, tag },
  cursor,
  waitingSince,
}: UsageSinkState) {
  return {
    name,
    format,
    url,
    /** Only the lines of this account; null for all. */
    account,
    /** Only the lines of accounts with this tag; null for all. */
    tag,
    /** The last line of the ledger that has arrived, or that it is not about. */
    line: cursor.lineId,
    /** Lines that have arrived, repeated ones included. */
    delivered: cursor.delivered,
    /** When lines arrived last. */
    delivered_at: cursor.deliveredAt?.toISOString() ?? null,
    /** How long the next line of the ledger has waited; null when none does. */
    lag_secs: waitingSince && Math.round((Date.now() - waitingSince.getTime()) / 1_000),
    failing_since: cursor.failingSince?.toISOString() ?? null,
    last_error: cursor.lastError,
  };
}
