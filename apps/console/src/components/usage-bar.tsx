import { formatNumber } from './number';

const HIGH_SHARE = 0.9;

/** How much of a limit is used; without a limit only the number. */
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

export function Meter({ share, label }: { share: number; label: string }) {
  return (
    <div className="gr-meter" role="img" aria-label={label} data-high={share >= HIGH_SHARE || undefined}>
      <span style={{ width: `${Math.min(1, share) * 100}%` }} />
    </div>
  );
}
