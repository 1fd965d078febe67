import type { ReasonCode } from '@app/domain/reviews/recording-reasons';
import { TARGETS, type TargetedMeasurement } from '@app/domain/reviews/recording-targets';
import type { Schema } from '../api/client';
import { numberOrZero } from '../components/meter';
import { formatNumber } from '../components/number';
import { StatusBadge } from '../components/inline';

type Measured = Schema['MeasuredTarget'];
type Row = Measured & { points: number };
type Impairments = Record<string, number> | null | undefined;

/** Points from which a trouble is a strong one. */
const STRONG_POINTS = 0.6;

/** What a bar shows from its left to its right end, in the unit of the measurement, and the reasons that it is the measure of. */
const SCALES: Record<TargetedMeasurement, [from: number, to: number, ...codes: ReasonCode[]]> = {
  snrDb: [0, 80, 'background_noise'],
  voicedHfDb: [-70, -10, 'signal_distortion'],
  voicedValleyDb: [-80, -20],
  unvoicedPeakinessDb: [0, 8, 'processing_artifacts'],
  rawValleyDb: [-100, -40, 'noise_suppression'],
  bandwidthHz: [0, 24_000, 'narrow_bandwidth'],
  clippedRatio: [0, 0.0002, 'clipping'],
  saturatedShare: [0, 1, 'limiting'],
  rt60Secs: [0, 1.5, 'reverberation'],
  humDb: [-80, 0, 'mains_hum'],
  loudnessLufs: [-50, 0, 'level_low', 'level_high'],
  truePeakDb: [-30, 6],
  dropoutsPer10Secs: [0, 10, 'dropouts'],
  dcOffset: [0, 0.05, 'dc_offset'],
  speechSecs: [0, 15],
};

/** What a trouble takes off the score, for a text: `-1.3`. */
export const pointsText = (points: number): string => (points < 0.05 ? '0' : `-${points.toFixed(1)}`);

export const pointsTone = (points: number) => (points >= STRONG_POINTS ? 'bad' : 'warn');

export function MeasurementTable(props: { targets: Measured[]; impairments: Impairments }) {
  const { targets, impairments } = props;
  return (
    <table className="gr-table gr-measured" data-dense aria-label="Measurements">
      <thead>
        <tr>
          <th>Measured</th>
          <th className="gr-number">Value</th>
          <th style={{ width: '30%' }}>Against its aim</th>
          <th>Aim</th>
          <th className="gr-number">Points</th>
        </tr>
      </thead>
      <tbody>
        {measuredRows(targets, impairments).map((row) => (
          <tr key={row.measurement}>
            <td>
              <StatusBadge tone={toneOf(row)}>{row.label}</StatusBadge>
            </td>
            <td className="gr-number">{valueText(row)}</td>
            <td>
              <Bullet {...row} />
            </td>
            <td className="gr-dimmed">{row.target}</td>
            <td className="gr-number">{row.points < 0.05 ? numberOrZero(0) : pointsText(row.points)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function measuredRows(targets: Measured[], impairments: Impairments): Row[] {
  return targets
    .map((target) => ({ ...target, points: pointsOf(target, impairments) }))
    .toSorted((a, b) => b.points - a.points || Number(a.met ?? 2) - Number(b.met ?? 2));
}

function pointsOf({ measurement }: Measured, impairments: Impairments): number {
  const [, , ...codes] = SCALES[measurement];
  return codes.reduce((sum, code) => sum + (impairments?.[code] ?? 0), 0);
}

export function toneOf({ met, points }: Row) {
  if (met === null) return 'calm';
  return met && points < 0.05 ? 'good' : pointsTone(points);
}

function Bullet(row: Row) {
  const { measurement, value } = row;
  const [from, to] = SCALES[measurement];
  const { atLeast = from, atMost = to }: { atLeast?: number; atMost?: number } = TARGETS[measurement];
  const place = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from))) * 100;
  return (
    <div className="gr-aim" aria-hidden>
      <span
        style={{ left: `${place(atLeast)}%`, width: `${Math.max(1, place(atMost) - place(atLeast))}%` }}
      />
      {value !== null && <i data-tone={toneOf(row)} style={{ left: `${place(value)}%` }} />}
    </div>
  );
}

export function valueText({ value, unit }: Measured): string {
  if (value === null) return 'not measured';
  const text = Math.abs(value) < 1_000 ? String(value) : formatNumber(value);
  return unit ? `${text} ${unit}` : text;
}
