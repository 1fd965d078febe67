import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Meter, type MeterTone } from './meter';

export interface Share {
  id: string;
  name: ReactNode;
  /** 0 to 1. */
  share: number;
  pace?: number;
  tone?: MeterTone | 'good';
  /** One line beneath. */
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
