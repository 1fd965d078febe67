import { TARGETS, type TargetedMeasurement } from '@app/domain/reviews/recording-targets';
import type { Schema } from '../api/client';
import { formatNumber } from '../components/number';
import { StatusBadge } from '../components/status-badge';

type Measured = Schema['MeasuredTarget'];

/** What a bar shows from its left to its right end, in the unit of the measurement. */
const SCALES: Record<TargetedMeasurement, [from: number, to: number]> = {
  snrDb: [0, 80],
  voicedHfDb: [-70, -10],
  voicedValleyDb: [-80, -20],
  unvoicedPeakinessDb: [0, 8],
  rawValleyDb: [-100, -40],
  bandwidthHz: [0, 24_000],
  clippedRatio: [0, 0.0002],
  saturatedShare: [0, 1],
  rt60Secs: [0, 1.5],
  humDb: [-80, 0],
  loudnessLufs: [-50, 0],
  truePeakDb: [-30, 6],
  dropoutsPer10Secs: [0, 10],
  dcOffset: [0, 0.05],
  speechSecs: [0, 15],
};

/** What was measured, each value against what recordings should aim for. */
export function MeasurementBars({ targets }: { targets: Measured[] }) {
  return (
    <ul className="gr-measured">
      {targets.map((target) => (
        <li key={target.measurement}>
          <div className="gr-measured-text">
            <span>{target.label}</span>
            <span>
              <strong>{valueText(target)}</strong> <span className="gr-dimmed">aim: {target.target}</span>{' '}
              {target.met !== null && (
                <StatusBadge tone={target.met ? 'good' : 'bad'}>{target.met ? 'met' : 'missed'}</StatusBadge>
              )}
            </span>
          </div>
          <Bar {...target} />
        </li>
      ))}
    </ul>
  );
}

/** The part to aim for, and where the value is. */
function Bar({ measurement, value, met }: Measured) {
  const [from, to] = SCALES[measurement];
  const { atLeast = from, atMost = to }: { atLeast?: number; atMost?: number } = TARGETS[measurement];
  const place = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from))) * 100;
  return (
    <div className="gr-aim" aria-hidden>
      <span
        style={{ left: `${place(atLeast)}%`, width: `${Math.max(1, place(atMost) - place(atLeast))}%` }}
      />
      {value !== null && <i data-met={met ?? undefined} style={{ left: `${place(value)}%` }} />}
    </div>
  );
}

function valueText({ value, unit }: Measured): string {
  if (value === null) return 'not measured';
  const text = Math.abs(value) < 1_000 ? String(value) : formatNumber(value);
  return unit ? `${text} ${unit}` : text;
}
