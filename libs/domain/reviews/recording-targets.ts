import { grouped } from '../common/sentences';
import type { RecordingMeasurements } from './recording-measurements';

/** What a measurement should be; one or both bounds, included. */
interface Target {
  label: string;
  unit: string;
  digits: number;
  atLeast?: number;
  atMost?: number;
}

/**
 * What recordings should aim for, by measurement, best read from the top. Levels follow the published guides for voice
 * recording (-23 to -18 LUFS, peaks under -3 dB); the others are where a trouble begins to be audible.
 */
export const TARGETS = {
  snrDb: { label: 'Background noise below speech', unit: 'dB', digits: 1, atLeast: 50 },
  voicedHfDb: { label: 'Residue above 5 kHz in the voice', unit: 'dB', digits: 1, atMost: -48 },
  voicedValleyDb: { label: 'Residue between the formants', unit: 'dB', digits: 1, atMost: -55 },
  unvoicedPeakinessDb: { label: 'Peaks in unvoiced sounds', unit: 'dB', digits: 1, atMost: 2.9 },
  rawValleyDb: { label: 'Gaps that processing has left', unit: 'dB', digits: 1, atLeast: -69 },
  bandwidthHz: { label: 'Highest frequency of the speech', unit: 'Hz', digits: 0, atLeast: 12_000 },
  clippedRatio: { label: 'Share of samples cut off', unit: '', digits: 5, atMost: 0.00002 },
  saturatedShare: { label: 'Share of loud moments at one level', unit: '', digits: 2, atMost: 0.3 },
  rt60Secs: { label: 'Reverberation time', unit: 's', digits: 2, atMost: 0.3 },
  humDb: { label: 'Mains hum re the speech', unit: 'dB', digits: 1, atMost: -50 },
  loudnessLufs: { label: 'Loudness', unit: 'LUFS', digits: 1, atLeast: -23, atMost: -18 },
  truePeakDb: { label: 'True peak', unit: 'dBTP', digits: 1, atMost: -3 },
  dropoutsPer10Secs: { label: 'Gaps in the sound in 10 s', unit: '', digits: 1, atMost: 0 },
  dcOffset: { label: 'DC offset, share of full scale', unit: '', digits: 4, atMost: 0.005 },
  speechSecs: { label: 'Speech', unit: 's', digits: 1, atLeast: 3 },
} as const satisfies Partial<Record<keyof RecordingMeasurements, Target>>;

export type TargetedMeasurement = keyof typeof TARGETS;

export interface MeasuredTarget {
  measurement: TargetedMeasurement;
  label: string;
  unit: string;
  /** Null: the recording gives nothing to measure it on, or has nothing of it. */
  value: number | null;
  target: string;
  /** Null without a value. */
  met: boolean | null;
}

/** The measurements that have a target, each against it. */
export function againstTargets(m: Partial<RecordingMeasurements>): MeasuredTarget[] {
  return (Object.entries(TARGETS) as [TargetedMeasurement, Target][]).map(([measurement, target]) => {
    const { label, unit, digits, atLeast = -Infinity, atMost = Infinity } = target;
    const value = m[measurement] ?? null;
    return {
      measurement,
      label,
      unit,
      value: value === null ? null : Number(value.toFixed(digits)),
      target: describeTarget(target),
      met: value === null ? null : value >= atLeast && value <= atMost,
    };
  });
}

/** Fractions as they are: `0.00002`. */
const numberText = (value: number | undefined) =>
  value !== undefined && value >= 1_000 ? grouped(value) : String(value);

/** `50 dB or more`, `-23 to -18 LUFS`. */
function describeTarget({ unit, atLeast, atMost }: Target): string {
  const withUnit = (text: string) => (unit ? `${text} ${unit}` : text);
  if (atLeast !== undefined && atMost !== undefined) return withUnit(`${atLeast} to ${atMost}`);
  return atLeast === undefined
    ? `${withUnit(numberText(atMost))} or less`
    : `${withUnit(numberText(atLeast))} or more`;
}

/** The bound of a measurement that has one, for sentences: `-48 dB or less`. */
export function targetOf(measurement: TargetedMeasurement): string {
  return describeTarget(TARGETS[measurement]);
}
