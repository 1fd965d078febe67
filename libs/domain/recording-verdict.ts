import { RecordingMeasurements } from './recording-measurements';
import { REASON_TEXTS, ReasonCode, UNDECODABLE_SENTENCE } from './recording-reasons';

/** Names the curves and limits below. Another number in either of them is another ruleset. */
export const RULESET = 'greenroom-2026-11-1';

export type Grade = 'studio' | 'good' | 'ok' | 'poor' | 'bad';

/** How much one trouble takes off the score, in steps of the 1-5 scale. */
export type Impairments = Partial<Record<ReasonCode, number>>;

export interface Verdict {
  /** 1 to 5, the absolute category rating scale of ITU-T P.800. */
  score: number;
  grade: Grade;
  /** Up to four `code=value+unit`, worst first; empty when everything is within the targets. */
  reasons: string[];
  /** The reasons joined by `; `, or `within_targets`. */
  reasonText: string;
  /** The same reasons in plain English. */
  explanations: string[];
  impairments: Impairments;
  ruleset: string;
  /** Little speech, or no pauses to hear the noise in. */
  lowConfidence: boolean;
}

/** Points of a curve, joined by straight lines and held beyond its ends. */
type Curve = readonly (readonly [value: number, impairment: number])[];

/** What listeners gave clean full-band studio speech on average; nothing recorded scores higher. */
const BEST_SCORE = 4.65;
const MOST_REASONS = 4;
/** A smaller impairment is inaudible to most and not worth a reason. */
const AUDIBLE = 0.25;

/**
 * Noise and distortion follow listeners (P.835 crowd scores of noise and MNRU conditions); the others are engineering
 * choices around the published recording guides that the targets come from.
 */
const CURVES = {
  noiseBySnrDb: [
    [-5, 3.5],
    [0, 3.3],
    [8, 2.8],
    [16, 2.05],
    [26, 1.55],
    [36, 1.15],
    [46, 0.42],
    [52, 0.05],
    [60, 0],
  ],
  distortionByHfDb: [
    [-53, 0],
    [-48, 0.2],
    [-41, 0.75],
    [-33.5, 1.35],
    [-26, 1.9],
    [-18, 2.8],
    [-12, 3.2],
  ],
  distortionByValleyDb: [
    [-56, 0],
    [-54, 0.2],
    [-52, 0.6],
    [-49.5, 1],
    [-44, 1.9],
    [-38, 2.6],
    [-32, 3],
    [-28, 3.3],
  ],
  bandwidthByHz: [
    [2500, 2.5],
    [3400, 2.05],
    [4500, 1.96],
    [5750, 1.1],
    [7000, 0.6],
    [8000, 0.4],
    [10e3, 0.25],
    [12e3, 0.1],
    [14e3, 0],
  ],
  clippingByRatio: [
    [2e-5, 0],
    [1e-4, 0.2],
    [1e-3, 0.7],
    [5e-3, 1.3],
    [2e-2, 2],
    [8e-2, 3],
  ],
  limitingByShare: [
    [0.3, 0],
    [0.36, 0.4],
    [0.45, 1.1],
    [0.6, 1.9],
    [0.75, 2.6],
  ],
  reverberationBySecs: [
    [0.25, 0],
    [0.3, 0.3],
    [0.4, 0.7],
    [0.6, 1.4],
    [1, 2.2],
    [1.5, 3],
  ],
  humByDb: [
    [-50, 0],
    [-45, 0.3],
    [-40, 0.6],
    [-30, 1.2],
    [-20, 2],
  ],
  levelByLufs: [
    [-60, 2.8],
    [-50, 1.8],
    [-40, 0.8],
    [-33, 0.3],
    [-27, 0],
    [-14, 0],
    [-12, 0.3],
    [-8, 0.8],
  ],
  dropoutsPer10Secs: [
    [0, 0],
    [1, 0.8],
    [3, 1.6],
    [10, 2.5],
  ],
  dcByOffset: [
    [0.005, 0],
    [0.01, 0.2],
    [0.03, 0.6],
    [0.1, 1.2],
  ],
  /** dB of a high floor above 5 kHz that are put down to a bright or breathy voice, as fricatives stand far out of it. */
  forgivenDbByContrast: [
    [20, 0],
    [28, 14],
  ],
} as const satisfies Record<string, Curve>;

const GRADES: readonly [least: number, grade: Grade][] = [
  [4.3, 'studio'],
  [3.6, 'good'],
  [2.7, 'ok'],
  [1.9, 'poor'],
  [-Infinity, 'bad'],
];

/** What the best grade asks for besides its score. */
const STUDIO = { bandwidthHz: 12_000, speechSecs: 3, truePeakDb: 0, impairment: 0.5 };
const TOO_SHORT_SECS = 0.9;
const NO_SPEECH = { voicedSecs: 0.25, pitchSpread: 0.02, snrDb: -8 };
const TELEPHONE_HZ = 4_500;
const HUM_PROMINENCE_DB = 15;
const CONFIDENT_SECS = 3;

/** Judges a recording by its measurements alone: the same measurements always give the same verdict. */
export function decideRecording(m: RecordingMeasurements): Verdict {
  if (hasNoSpeech(m)) return verdictOf(m, 1, 'bad', ['no_speech'], { no_speech: 4 });
  const impairments = impairmentsOf(m);
  const total = Math.hypot(...Object.values(impairments));
  const limit = m.speechSecs < TOO_SHORT_SECS || m.bandwidthHz < TELEPHONE_HZ ? 2.69 : 5;
  const score = Math.min(limit, Math.max(1, BEST_SCORE - total));
  const grade = gradeOf(score, m, impairments);
  return verdictOf(m, score, grade, reasonsFor(m, grade, impairments), impairments);
}

/** The verdict on bytes that are no audio: final, nothing was measured. */
export function undecodableVerdict(): Verdict {
  return {
    score: 1,
    grade: 'bad',
    reasons: ['undecodable_audio'],
    reasonText: 'undecodable_audio',
    explanations: [UNDECODABLE_SENTENCE],
    impairments: { undecodable_audio: 4 },
    ruleset: RULESET,
    lowConfidence: false,
  };
}

function hasNoSpeech(m: RecordingMeasurements): boolean {
  const { voicedSecs, pitchSpread, snrDb } = NO_SPEECH;
  return m.voicedSecs < voicedSecs || m.pitchSpread < pitchSpread || (m.snrDb !== null && m.snrDb < snrDb);
}

/** Every trouble on its own. They add up as the root of the sum of squares, which fits mixed conditions. */
function impairmentsOf(m: RecordingMeasurements): Impairments {
  const clipping = read(CURVES.clippingByRatio, m.clippedRatio);
  const level = read(CURVES.levelByLufs, m.loudnessLufs ?? -70);
  const tooLoud = (m.loudnessLufs ?? -70) > -20;
  const impairments: Impairments = {
    background_noise: m.snrDb === null ? 0 : read(CURVES.noiseBySnrDb, m.snrDb),
    signal_distortion: distortion(m),
    narrow_bandwidth: read(CURVES.bandwidthByHz, m.bandwidthHz),
    clipping,
    // Clipped peaks pile up too: only the larger of the two counts.
    limiting: excess(read(CURVES.limitingByShare, m.saturatedShare), clipping),
    reverberation: m.rt60Secs === null ? 0 : read(CURVES.reverberationBySecs, m.rt60Secs),
    mains_hum: m.humProminenceDb >= HUM_PROMINENCE_DB ? read(CURVES.humByDb, m.humDb ?? -100) : 0,
    level_low: tooLoud ? 0 : level,
    level_high: tooLoud ? level : 0,
    dropouts: read(CURVES.dropoutsPer10Secs, m.dropoutsPer10Secs),
    dc_offset: read(CURVES.dcByOffset, m.dcOffset),
  };
  return Object.fromEntries(Object.entries(impairments).filter(([, size]) => size > 0));
}

/** Above 5 kHz where that exists, which is the sharper measure; in the valleys of telephone speech otherwise. */
function distortion(m: RecordingMeasurements): number {
  if (m.voicedHfDb !== null) {
    const forgiven = m.hfContrastDb === null ? 0 : read(CURVES.forgivenDbByContrast, m.hfContrastDb);
    return read(CURVES.distortionByHfDb, m.voicedHfDb - forgiven);
  }
  return m.voicedValleyDb === null ? 0 : read(CURVES.distortionByValleyDb, m.voicedValleyDb);
}

function excess(larger: number, smaller: number): number {
  return larger > smaller ? Math.sqrt(larger ** 2 - smaller ** 2) : 0;
}

function gradeOf(score: number, m: RecordingMeasurements, impairments: Impairments): Grade {
  const grade = GRADES.find(([least]) => score >= least)?.[1] ?? 'bad';
  return grade === 'studio' && studioGaps(m, impairments).length > 0 ? 'good' : grade;
}

function studioGaps(m: RecordingMeasurements, impairments: Impairments): ReasonCode[] {
  const gaps: ReasonCode[] = codesWorstFirst(impairments).filter(
    (code) => impairments[code]! > STUDIO.impairment,
  );
  if (m.bandwidthHz < STUDIO.bandwidthHz) gaps.push('narrow_bandwidth');
  if (m.truePeakDb > STUDIO.truePeakDb) gaps.push('level_high');
  if (m.speechSecs < STUDIO.speechSecs) gaps.push('too_short');
  return gaps;
}

/** Audible troubles, then what alone keeps a clean recording from the best grade. */
function reasonsFor(m: RecordingMeasurements, grade: Grade, impairments: Impairments): ReasonCode[] {
  const worst = codesWorstFirst(impairments);
  const audible = worst.filter((code) => impairments[code]! >= AUDIBLE);
  const shortfalls = m.speechSecs < TOO_SHORT_SECS ? ['too_short' as const] : [];
  const gaps = grade === 'good' ? studioGaps(m, impairments) : [];
  const reasons = [...new Set([...shortfalls, ...audible, ...gaps])];
  return reasons.length === 0 && grade !== 'studio' ? worst.slice(0, 1) : reasons;
}

function codesWorstFirst(impairments: Impairments): ReasonCode[] {
  const entries = Object.entries(impairments) as [ReasonCode, number][];
  return entries.sort(([, a], [, b]) => b - a).map(([code]) => code);
}

function verdictOf(
  m: RecordingMeasurements,
  score: number,
  grade: Grade,
  codes: ReasonCode[],
  impairments: Impairments,
): Verdict {
  const told = codes.slice(0, MOST_REASONS).filter((code) => code !== 'undecodable_audio');
  const reasons = told.map((code) => `${code}=${REASON_TEXTS[code].value(m)}`);
  return {
    score: Math.round(score * 100) / 100,
    grade,
    reasons,
    reasonText: reasons.join('; ') || 'within_targets',
    explanations: told.map((code) => REASON_TEXTS[code].sentence(m)),
    impairments,
    ruleset: RULESET,
    lowConfidence: m.speechSecs < CONFIDENT_SECS || m.noiseMethod !== 'pauses',
  };
}

function read(curve: Curve, value: number): number {
  const upper = curve.findIndex(([x]) => x >= value);
  if (upper === 0) return curve[0]![1];
  if (upper < 0) return curve[curve.length - 1]![1];
  const [x0, y0] = curve[upper - 1]!;
  const [x1, y1] = curve[upper]!;
  return y0 + ((y1 - y0) * (value - x0)) / (x1 - x0);
}
