import type { RecordingMeasurements } from '@app/domain/reviews/recording-measurements';
import { MOST_PLACES, type Stretch } from '@app/domain/reviews/recording-places';
import type { ReasonCode } from '@app/domain/reviews/recording-reasons';

/** What a finding is drawn as: the name of its colour. */
export type FindingKind = 'clipped' | 'dropouts' | 'clicks' | 'quiet' | 'hum' | 'bandwidth' | 'noise';

/** Something the review has found, and where. */
export interface Finding {
  kind: FindingKind;
  /** The reasons that it explains. */
  codes: ReasonCode[];
  label: string;
  /** Moments. */
  stretches: Stretch[];
  /** Frequencies. */
  linesHz: number[];
  /** Height in the waveform, as a share of full scale. */
  level: number | null;
}

const NOWHERE = { stretches: [], linesHz: [], level: null };

/** Findings with a place in time, in frequency or in level, in the order of a legend. */
export function findingsOf(m: RecordingMeasurements): Finding[] {
  const { places } = m;
  const moments = (kind: FindingKind, codes: ReasonCode[], label: string, stretches: Stretch[] = []) => ({
    ...NOWHERE,
    kind,
    codes,
    label: stretches.length < MOST_PLACES ? label : `${label} (the ${MOST_PLACES} longest)`,
    stretches,
  });
  const findings: Finding[] = [
    moments('clipped', ['clipping', 'limiting', 'level_high'], 'Cut off', places?.clipped),
    moments('dropouts', ['dropouts'], 'Gaps and repeats', places?.dropouts),
    moments('clicks', ['clicks'], 'Clicks', places?.clicks),
    moments('quiet', ['level_low'], 'Too quiet', places?.tooQuiet),
    { ...humOf(places?.humHz ?? []) },
    {
      ...NOWHERE,
      kind: 'bandwidth',
      codes: ['narrow_bandwidth'],
      label: `The speech ends at ${(m.bandwidthHz / 1_000).toFixed(1)} kHz`,
      linesHz: [m.bandwidthHz],
    },
  ];
  if (m.noiseFloorDb !== null) findings.push(noiseOf(m.noiseFloorDb));
  return findings.filter(
    ({ stretches, linesHz, level }) => stretches.length > 0 || linesHz.length > 0 || level !== null,
  );
}

function humOf(linesHz: number[]): Finding {
  return { ...NOWHERE, kind: 'hum', codes: ['mains_hum'], label: `Hum at ${linesHz.join(', ')} Hz`, linesHz };
}

function noiseOf(noiseFloorDb: number): Finding {
  return {
    ...NOWHERE,
    kind: 'noise',
    codes: ['background_noise'],
    label: `Noise between words at ${noiseFloorDb.toFixed(1)} dB`,
    level: 10 ** (noiseFloorDb / 20),
  };
}

/** `12.3 s`, `1:02.3 min`. */
export function timeText(secs: number): string {
  if (secs < 60) return `${secs.toFixed(1)} s`;
  const tenths = Math.round(secs * 10);
  return `${Math.floor(tenths / 600)}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')} min`;
}

/** Round values for an axis from 0 to `end`: at most `most` of them beside the 0. */
export function axisValues(end: number, most: number): number[] {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300];
  const step = steps.find((each) => end / each <= most) ?? end;
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, n) => n * step);
}
