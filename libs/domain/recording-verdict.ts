import { CURVES, readCurve } from './recording-curves';
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

/** What listeners gave clean full-band studio speech on average; nothing recorded scores higher. */
const BEST_SCORE = 4.65;
const MOST_REASONS = 4;
/** A smaller impairment is inaudible to most and not worth a reason. */
const AUDIBLE = 0.25;

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
  const score = Math.min(limit, softFloor(BEST_SCORE - total));
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
  const clipping = readCurve(CURVES.clippingByRatio, m.clippedRatio);
  const level = readCurve(CURVES.levelByLufs, m.loudnessLufs ?? -70);
  const tooLoud = (m.loudnessLufs ?? -70) > -20;
  const impairments: Impairments = {
    background_noise: m.snrDb === null ? 0 : readCurve(CURVES.noiseBySnrDb, m.snrDb),
    signal_distortion: distortion(m),
    processing_artifacts: artifacts(m),
    narrow_bandwidth: readCurve(CURVES.bandwidthByHz, m.bandwidthHz),
    clipping,
    // Clipped peaks pile up too: only the larger of the two counts.
    limiting: excess(readCurve(CURVES.limitingByShare, m.saturatedShare), clipping),
    reverberation: m.rt60Secs === null ? 0 : readCurve(CURVES.reverberationBySecs, m.rt60Secs),
    mains_hum: m.humProminenceDb >= HUM_PROMINENCE_DB ? readCurve(CURVES.humByDb, m.humDb ?? -100) : 0,
    level_low: tooLoud ? 0 : level,
    level_high: tooLoud ? level : 0,
    dropouts: readCurve(CURVES.dropoutsPer10Secs, m.dropoutsPer10Secs),
    dc_offset: readCurve(CURVES.dcByOffset, m.dcOffset),
  };
  return Object.fromEntries(Object.entries(impairments).filter(([, size]) => size > 0));
}

/** Above 5 kHz where that exists, which is the sharper measure; in the valleys of telephone speech otherwise. */
function distortion(m: RecordingMeasurements): number {
  if (m.voicedHfDb !== null) {
    const forgiven = m.hfContrastDb === null ? 0 : readCurve(CURVES.forgivenDbByContrast, m.hfContrastDb);
    return readCurve(CURVES.distortionByHfDb, m.voicedHfDb - forgiven);
  }
  return m.voicedValleyDb === null ? 0 : readCurve(CURVES.distortionByValleyDb, m.voicedValleyDb);
}

/** Noise suppression and poor codecs show in unvoiced sounds or, at their worst, by leaving none: then in voiced ones. */
function artifacts(m: RecordingMeasurements): number {
  const peaky =
    m.unvoicedPeakinessDb === null ? 0 : readCurve(CURVES.artifactsByPeakinessDb, m.unvoicedPeakinessDb);
  const emptied = m.rawValleyDb === null ? 0 : readCurve(CURVES.artifactsByRawValleyDb, m.rawValleyDb);
  return Math.max(peaky, emptied);
}

function excess(larger: number, smaller: number): number {
  return larger > smaller ? Math.sqrt(larger ** 2 - smaller ** 2) : 0;
}

/** Listeners stop at 1; the way there flattens, so that the worse of two terrible recordings still scores lower. */
function softFloor(score: number): number {
  const bend = 0.7;
  return score >= 1 + bend ? score : 1 + bend * Math.exp((score - 1 - bend) / bend);
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
