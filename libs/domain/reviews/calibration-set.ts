import { agreementOf, type Agreement, type GradePair } from './agreement';
import type { RecordingMeasurements } from './recording-measurements';
import { RULESET_IDS, type RulesetId } from './recording-rulesets';
import { decideRecording } from './recording-verdict';
import { RECORDING_GRADES, type RecordingGrade } from './review-state';

export const CALIBRATION_FORMAT = 'greenroom-calibration-1';

/** A recording about which two people, or people and the rules, disagree. Nothing in it says whose it is. */
export interface CalibrationItem {
  voice_id: string;
  audio_sha256: string;
  /** What people gave it, the first listener first. The others did not know. */
  grades: RecordingGrade[];
  ruleset: string | null;
  ruleset_grade: RecordingGrade | null;
  /** The reason codes of the rules. */
  reasons: string[];
  measurements: RecordingMeasurements | null;
}

export interface CalibrationSet {
  format: typeof CALIBRATION_FORMAT;
  items: CalibrationItem[];
}

/** How a ruleset grades a calibration set. */
export interface CalibratedRuleset extends Agreement {
  ruleset: RulesetId;
  /** Recordings without measurements, or without grades of people. */
  left_out: number;
}

/**
 * How near each ruleset comes to the ears of people, by the stored measurements: a pair for each grade that a person gave.
 *
 * @param rulesets all of them by default
 */
export function compareWithPeople(
  { items }: CalibrationSet,
  rulesets: readonly RulesetId[] = RULESET_IDS,
): CalibratedRuleset[] {
  return rulesets.map((ruleset) => {
    const evaluated = items.filter(({ measurements, grades }) => measurements !== null && grades.length > 0);
    const pairs = evaluated.flatMap(({ measurements, grades }) => {
      const theirs = decideRecording(measurements!, ruleset).grade;
      return grades.map((grade): GradePair => [grade, theirs]);
    });
    return { ruleset, ...agreementOf(pairs), left_out: items.length - evaluated.length };
  });
}

/**
 * Reads a calibration set.
 *
 * @throws Error that says what was found and what is accepted
 */
export function readCalibrationSet(text: string): CalibrationSet {
  const set = parse(text);
  if (!isObject(set) || set.format !== CALIBRATION_FORMAT) {
    const found = isObject(set) ? `format ${JSON.stringify(set.format ?? null)}` : 'no JSON object';
    throw new Error(
      `This is not a calibration set: found ${found}. Accepted: format "${CALIBRATION_FORMAT}".`,
    );
  }
  if (!Array.isArray(set.items)) throw new Error('The calibration set has no list of items.');
  set.items.forEach(checkItem);
  return set as unknown as CalibrationSet;
}

function checkItem(item: unknown, index: number): void {
  const place = `Item ${index + 1} of the calibration set`;
  if (!isObject(item)) throw new Error(`${place} is not an object.`);
  const { grades, measurements } = item;
  const isGrade = (grade: unknown) => (RECORDING_GRADES as readonly unknown[]).includes(grade);
  if (!Array.isArray(grades) || !grades.every(isGrade))
    throw new Error(
      `${place} has the grades ${JSON.stringify(grades)}. Accepted: a list of ${RECORDING_GRADES.join(', ')}.`,
    );
  if (measurements !== null && !isObject(measurements)) throw new Error(`${place} has no measurements.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('This is not a calibration set: it is not JSON.');
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
