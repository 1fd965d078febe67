import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from './number';

/** Shares from which a meter warns when nothing says whether the rest lasts. */
const SOON = 0.8;
const NOW = 0.97;

/** What ends soon ("warn"), and what has ended or ends within days ("bad"). */
export type MeterTone = 'warn' | 'bad' | undefined;

const toneOf = (share: number, pace = 0): MeterTone =>
  share >= NOW ? 'bad' : share >= SOON && share > pace ? 'warn' : undefined;

export const numberOrZero = (count: number) =>
  count === 0 ? <span className="gr-dimmed">0</span> : formatNumber(count);

/** How much of a limit is used, and by a tick where an even pace would be. */
export function Meter(props: {
  /** 0 to 1. */
  share: number;
  pace?: number;
  /** Of what a forecast says; otherwise of the share. */
  tone?: MeterTone | 'good';
  label: string;
}) {
  const { share, pace, tone = toneOf(share, pace), label } = props;
  const percent = (value: number) => `${Math.min(1, Math.max(0, value)) * 100}%`;
  return (
    <div className="gr-meter" role="img" aria-label={label} data-tone={tone}>
      <span style={{ width: percent(share) }} />
      {pace !== undefined && <i style={{ left: percent(pace) }} />}
    </div>
  );
}

export function UsageBar({ used, limit, unit }: { used: number; limit: number | null; unit: string }) {
  if (limit === null) return <span>{`${formatNumber(used)} ${unit}, no separate limit`}</span>;
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const text = `${formatNumber(used)} of ${formatNumber(limit)} ${unit}`;
  return (
    <div>
      <div>
        {text} <span className="gr-dimmed">({Math.round(share * 100)} %)</span>
      </div>
      <Meter share={share} label={text} />
    </div>
  );
}

/** The share of a period that has passed at `now`, in ms since the epoch. */
export function paceOf(period: { start: string; end: string }, now = Date.now()): number {
  const [from, to] = [Date.parse(period.start), Date.parse(period.end)];
  return to > from ? Math.min(1, Math.max(0, (now - from) / (to - from))) : 1;
}

export function ProgressLine(props: {
  done: number;
  total: number;
  /** What the bar counts, for those who cannot see it. */
  label: string;
  children: string;
}) {
  const { done, total, label, children } = props;
  return (
    <div>
      <div role="status">{children}</div>
      <Meter share={total === 0 ? 1 : done / total} tone="good" label={label} />
    </div>
  );
}

export interface Share {
  id: string;
  name: ReactNode;
  /** 0 to 1. */
  share: number;
  pace?: number;
  tone?: MeterTone | 'good';
  note?: ReactNode;
}

/** What parts of a whole there are, or how much of each limit is used: a bar each, the first one decides. */
export function ShareList({ name, rows }: { name: string; rows: readonly Share[] }) {
  return (
    <Stack component="ul" className="gr-shares" gap={0} aria-label={name}>
      {rows.map(({ id, name: label, share, pace, tone, note }) => {
        const percent = `${Math.round(share * 100)} %`;
        return (
          <li key={id}>
            <span>{label}</span>
            <span className="gr-number">{percent}</span>
            <Meter share={share} pace={pace} tone={tone ?? 'good'} label={percent} />
            {note !== undefined && <div className="gr-dimmed">{note}</div>}
          </li>
        );
      })}
    </Stack>
  );
}
