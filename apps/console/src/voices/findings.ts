import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { MOST_PLACES, type Stretch } from '@app/domain/reviews/recording-places';
import type { ReasonCode } from '@app/domain/reviews/recording-reasons';
import { plural } from '../components/number';

/** The role of its colour, by what a finding is. */
export const COLOURS = {
  clipped: 'bad-mark',
  dropouts: 'd2',
  clicks: 'd4',
  quiet: 'd3',
  hum: 'd7',
  bandwidth: 'd6',
  noise: 'd-rest',
};
export type FindingKind = keyof typeof COLOURS;

export interface Finding {
  kind: FindingKind;
  codes: ReasonCode[];
  label: string;
  detail: string;
  stretches: Stretch[];
  linesHz: number[];
}

/** Findings with a place in time, in frequency or in level, in the order of a legend. */
export function findingsOf(m: RecordingMeasurements): Finding[] {
  const { places, bandwidthHz, noiseFloorDb } = m;
  const findings = [
    inTime('clipped', ['clipping', 'limiting', 'level_high'], 'Cut off', places?.clipped),
    inTime('dropouts', ['dropouts'], 'Gaps', places?.dropouts),
    inTime('clicks', ['clicks'], 'Clicks', places?.clicks),
    inTime('quiet', ['level_low'], 'Too quiet', places?.tooQuiet),
    atHz('bandwidth', 'narrow_bandwidth', 'Speech', `ends at ${(bandwidthHz / 1_000).toFixed(1)} kHz`, [
      bandwidthHz,
    ]),
  ].filter(({ stretches, linesHz }) => stretches.length > 0 || linesHz.length > 0);
  const { humHz = [] } = places ?? {};
  if (humHz.length > 0) findings.push(atHz('hum', 'mains_hum', 'Hum', `at ${humHz.join(', ')} Hz`, humHz));
  if (noiseFloorDb !== null)
    findings.push(
      atHz('noise', 'background_noise', 'Noise', `${noiseFloorDb.toFixed(1)} dB between words`, []),
    );
  return findings;
}

function inTime(kind: FindingKind, codes: ReasonCode[], label: string, stretches: Stretch[] = []): Finding {
  const secs = stretches.reduce((sum, { fromSecs, toSecs }) => sum + toSecs - fromSecs, 0);
  const all = stretches.length < MOST_PLACES ? '' : 'the longest ';
  const detail = `${all}${plural(stretches.length, 'place')}, ${secs.toFixed(2)} s`;
  return { kind, codes, label, detail, stretches, linesHz: [] };
}

function atHz(
  kind: FindingKind,
  code: ReasonCode,
  label: string,
  detail: string,
  linesHz: number[],
): Finding {
  return { kind, codes: [code], label, detail, stretches: [], linesHz };
}

/** The place that follows a moment, or the first again; null without places. */
export function nextPlace(stretches: readonly Stretch[], afterSecs: number): Stretch | null {
  const inOrder = stretches.toSorted((a, b) => a.fromSecs - b.fromSecs);
  return inOrder.find(({ fromSecs }) => fromSecs > afterSecs) ?? inOrder[0] ?? null;
}

/** `0:02.8`, `1:02.3`: minutes, seconds and tenths. */
export function timeText(secs: number): string {
  const tenths = Math.round(secs * 10);
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`;
}

/** Round values for an axis from 0 to `end`: at most `most` of them beside the 0. */
export function axisValues(end: number, most: number): number[] {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300];
  const step = steps.find((each) => end / each <= most) ?? end;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, n) => n * step);
}
