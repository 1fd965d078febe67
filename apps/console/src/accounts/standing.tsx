import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { Meter } from '../components/meter';
import { formatNumber } from '../components/number';
import type { Schema } from '../api/client';

type Credits = Schema['ListedAccountResponse']['standing']['credits'];

/** The credits that an account has used in its period, grants counted. */
export function CreditsBar({ credits: { used, limit } }: { credits: Credits }) {
  const percent = limit === 0 ? 100 : Math.floor((used / limit) * 100);
  return (
    <div className="gr-credits">
      <Meter share={percent / 100} label={`${percent} % of ${formatNumber(limit)} credits used`} />
      <strong>{percent} %</strong>
    </div>
  );
}

/** Whether the credits of an account last until its period ends. */
export function Lasts({ credits: { used, limit, runs_out_at: end, period_end } }: { credits: Credits }) {
  if (used >= limit)
    return (
      <>
        <StatusBadge tone="bad">out of credits</StatusBadge>{' '}
        <span className="gr-dimmed">
          until <Time at={period_end} dateOnly />
        </span>
      </>
    );
  if (end === null) return <span className="gr-dimmed">lasts</span>;
  return (
    <StatusBadge tone="warn">
      out <Time at={end} relative />
    </StatusBadge>
  );
}
