import type { ReactNode } from 'react';
import { StatusBadge, type Tone } from './banner';

export interface Stat {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  /** For what is not fine. */
  tone?: Tone;
}

/** Three or four figures that do not compare with each other, in one frame. */
export function Stats({ stats }: { stats: readonly (Stat | false)[] }) {
  return (
    <dl className="gr-stats">
      {stats
        .filter((stat) => stat !== false)
        .map(({ label, value, note, tone }) => (
          <div key={label}>
            <dt>{tone ? <StatusBadge tone={tone}>{label}</StatusBadge> : label}</dt>
            <dd>{value}</dd>
            {note !== undefined && <dd className="gr-dimmed">{note}</dd>}
          </div>
        ))}
    </dl>
  );
}
