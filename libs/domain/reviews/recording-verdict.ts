import { shareWithListener } from './listener-share';
import { readCurve, type Curve } from './recording-curves';
import { RecordingMeasurements, rumbleBySpeechDb } from './recording-measurements';
import { explainFully, REASON_TEXTS, ReasonCode } from './recording-reasons';
import { CURRENT_RULESET, rulesetOf, type Ruleset, type RulesetId } from './recording-rulesets';
import type { RecordingGrade } from './review-state';

/** How much one trouble takes off the score, in steps of the 1-5 scale. */
export type Impairments = Partial<Record<ReasonCode, number>>;

export interface Verdict {
  /** 1 to 5, the absolute category rating scale of ITU-T P.800. */
  score: number;
  grade: RecordingGrade;
  /** Up to four `code=value+unit`, worst first; empty when everything is within the targets. */
  reasons: string[];
  /** The reasons joined by `; `, or `within_targets`. */
  reasonText: string;
  /** The same reasons in plain English, with their numbers. */
  explanations: string[];
  impairments: Impairments;
  ruleset: RulesetId;
  /** Little speech, or no pauses to measure the noise in. */
  lowConfidence: boolean;
}

/** What listeners gave clean full-band studio speech on average; nothing recorded scores higher. */
const BEST_SCORE = 4.65;
const MOST_REASONS = 4;
/** A smaller impairment is inaudible to most and not worth a reason. */
const AUDIBLE = 0.25;
/** What only the model finds is named only when it is more than it takes off clean recordings. */
const AUDIBLE_TO_MODEL = 0.5;

const CONFIDENT_SECS = 3;
const NOISE_IS_KNOWN: ReadonlySet<RecordingMeasurements['noiseMethod']> = new Set(['pauses', 'over_time']);

/** Grades a recording by its measurements alone: the same measurements and rules always give the same verdict. */
export function decideRecording(m: RecordingMeasurements, id: RulesetId = CURRENT_RULESET): Verdict {
  const rules = rulesetOf(id);
  if (hasNoSpeech(m, rules)) return verdictOf(m, rules, 1, 'bad', ['no_speech'], { no_speech: 4 });
  const impairments = heardBy(m.listenerScore, impairmentsOf(m, rules), rules);
  const total = Math.hypot(...Object.values(impairments));
  const held = m.speechSecs < rules.tooShortSecs || m.bandwidthHz < rules.telephoneHz;
  const score = Math.min(held ? bestOfPoor(rules) : 5, softFloor(BEST_SCORE - total));
  const grade = gradeOf(score, m, impairments, rules);
  return verdictOf(m, rules, score, grade, reasonsFor(m, grade, impairments, rules), impairments);
}

/**
 * The verdict on bytes that are not audio: final, nothing was measured.
 *
 * @param found what they are: "an MP4/M4A file (AAC)"
 */
export function undecodableVerdict(found: string, ruleset: RulesetId = CURRENT_RULESET): Verdict {
  const reason = `undecodable_audio=${found}`;
  return {
    score: 1,
    grade: 'bad',
    reasons: [reason],
    reasonText: reason,
    explanations: explainFully(reason, null),
    impairments: { undecodable_audio: 4 },
    ruleset,
    lowConfidence: false,
  };
}

function hasNoSpeech(m: RecordingMeasurements, { noSpeech }: Ruleset): boolean {
  const { voicedSecs, pitchSpread, snrDb, spectralChangeDb } = noSpeech;
  const change = m.spectralChangeDb ?? null;
  if (spectralChangeDb !== null && change !== null) {
    if (change >= spectralChangeDb.speech) return false;
    if (change < spectralChangeDb.tune) return true;
  }
  return m.voicedSecs < voicedSecs || m.pitchSpread < pitchSpread || (m.snrDb !== null && m.snrDb < snrDb);
}

/** Too little speech or telephone sound is `poor` at the best, however clean. */
function bestOfPoor({ grades }: Ruleset): number {
  return Math.round((grades.ok - 0.01) * 100) / 100;
}

/** Every trouble on its own. They add up as the root of the sum of squares, which fits mixed conditions. */
function impairmentsOf(m: RecordingMeasurements, rules: Ruleset): Impairments {
  const { curves, humProminenceDb } = rules;
  const peaky = atLevel(curves.artifactsByPeakinessDb, m.unvoicedPeakinessDb);
  const clipping = readCurve(curves.clippingByRatio, m.clippedRatio);
  const level = readCurve(curves.levelByLufs, m.loudnessLufs ?? -70);
  const tooLoud = (m.loudnessLufs ?? -70) > -20;
  const impairments: Impairments = {
    background_noise: backgroundNoise(m, rules),
    signal_distortion: distortion(m, curves),
    processing_artifacts: peaky,
    // Suppression that leaves no unvoiced sounds shows in the voiced ones: only the larger of the two counts.
    noise_suppression: excess(atLevel(curves.artifactsByRawValleyDb, m.rawValleyDb), peaky),
    narrow_bandwidth: readCurve(curves.bandwidthByHz, m.bandwidthHz),
    clipping,
    // Clipped peaks pile up too: only the larger of the two counts.
    limiting: excess(readCurve(curves.limitingByShare, m.saturatedShare), clipping),
    reverberation: m.rt60Secs === null ? 0 : readCurve(curves.reverberationBySecs, m.rt60Secs),
    mains_hum: m.humProminenceDb >= humProminenceDb ? readCurve(curves.humByDb, m.humDb ?? -100) : 0,
    rumble: atLevel(curves.rumbleBySpeechDb, rumbleBySpeechDb(m)),
    level_low: tooLoud ? 0 : level,
    level_high: tooLoud ? level : 0,
    dropouts: readCurve(curves.dropoutsPer10Secs, m.dropoutsPer10Secs),
    clicks: Math.max(
      readCurve(curves.clicksPer10Secs, m.clicksPer10Secs ?? 0),
      readCurve(curves.tapsPer10Secs, m.tapsPer10Secs ?? 0),
    ),
    echo: atLevel(curves.echoByDb, m.echoDb),
    second_voice: atLevel(curves.secondVoiceByShare, m.secondVoiceShare),
    damaged_file: readCurve(curves.damagedByLostShare, lostShare(m)),
    dead_channel: atLevel(curves.deadChannelByDb, m.weakerChannelDb),
    inverted_channel: atLevel(curves.invertedChannelBySumDb, m.channelSumDb),
    dc_offset: readCurve(curves.dcByOffset, m.dcOffset),
  };
  return Object.fromEntries(Object.entries(impairments).filter(([, size]) => size > 0));
}

/** Without a model, or when it failed, by the rules alone; also for what was measured before there was one. */
function heardBy(
  listenerScore: number | null | undefined,
  impairments: Impairments,
  { listenerShare: share }: Ruleset,
): Impairments {
  if (typeof listenerScore !== 'number') return impairments;
  return shareWithListener(impairments, { listenerScore, share, best: BEST_SCORE });
}

/**
 * Noise is read up to 8 kHz. White noise of a recording of 48 kHz, as listeners heard it for the curve, has 4.8 dB more above
 * that, where one of 16 kHz has none, and the noise of rooms hardly any: some of it is put down to the sample rate. Telephone
 * recordings were graded beside each other, and are left as they are.
 */
function backgroundNoise(m: RecordingMeasurements, rules: Ruleset): number {
  if (m.snrDb === null) return 0;
  const { curves, noiseSpreadDbByBandwidthHz: byBandwidth } = rules;
  const spread = byBandwidth
    ? Math.min(readCurve(byBandwidth, m.bandwidthHz), readCurve(curves.spreadDbBySampleRate, m.sampleRateHz))
    : 0;
  return readCurve(curves.noiseBySnrDb, m.snrDb + spread);
}

/** Above 5 kHz where that exists, which is the sharper measure; in the valleys of telephone speech otherwise. */
function distortion(m: RecordingMeasurements, curves: Ruleset['curves']): number {
  if (m.voicedHfDb !== null) {
    const forgiven = m.hfContrastDb === null ? 0 : readCurve(curves.forgivenDbByContrast, m.hfContrastDb);
    return distortionAbove5kHz(m.voicedHfDb - forgiven, m, curves);
  }
  if (m.voicedValleyDb === null) return 0;
  const filled = m.pitchHz === null ? 0 : readCurve(curves.filledDbByPitchHz, m.pitchHz);
  return readCurve(curves.distortionByValleyDb, m.voicedValleyDb - filled);
}

function distortionAbove5kHz(
  hfDb: number,
  { sampleRateHz }: RecordingMeasurements,
  curves: Ruleset['curves'],
): number {
  return readCurve(curves.distortionByHfDb, hfDb - readCurve(curves.spreadDbBySampleRate, sampleRateHz));
}

function lostShare({ lostSecs = 0, durationSecs }: RecordingMeasurements): number {
  return lostSecs === 0 ? 0 : lostSecs / (durationSecs + lostSecs);
}

/** Nothing where there is nothing to measure. */
function atLevel(curve: Curve, value: number | null | undefined): number {
  return value === null || value === undefined ? 0 : readCurve(curve, value);
}

function excess(larger: number, smaller: number): number {
  return larger > smaller ? Math.sqrt(larger ** 2 - smaller ** 2) : 0;
}

/** Listeners stop at 1; the way there flattens, so that the worse of two terrible recordings still scores lower. */
function softFloor(score: number): number {
  const bend = 0.7;
  return score >= 1 + bend ? score : 1 + bend * Math.exp((score - 1 - bend) / bend);
}

function gradeOf(
  score: number,
  m: RecordingMeasurements,
  impairments: Impairments,
  rules: Ruleset,
): RecordingGrade {
  const { grades } = rules;
  if (score >= grades.studio && studioGaps(m, impairments, rules).length === 0) return 'studio';
  if (score >= grades.good) return 'good';
  if (score >= grades.ok) return 'ok';
  return score >= grades.poor ? 'poor' : 'bad';
}

function studioGaps(m: RecordingMeasurements, impairments: Impairments, rules: Ruleset): ReasonCode[] {
  const { studio } = rules;
  const gaps: ReasonCode[] = codesWorstFirst(impairments).filter(
    (code) => impairments[code]! > studio.impairment,
  );
  if (isSlightlyDistorted(m, rules)) gaps.push('signal_distortion');
  if (m.bandwidthHz < studio.bandwidthHz) gaps.push('narrow_bandwidth');
  if (m.truePeakDb > studio.truePeakDb) gaps.push('level_high');
  if (m.speechSecs < studio.speechSecs) gaps.push('too_short');
  return gaps;
}

/** A floor above 5 kHz that would cost, were it not that fricatives stand out of it, though not as far as in a clean voice. */
function isSlightlyDistorted(m: RecordingMeasurements, { curves, studio }: Ruleset): boolean {
  if (m.voicedHfDb === null || m.hfContrastDb === null || m.hfContrastDb >= (studio.hfContrastDb ?? 0))
    return false;
  return distortionAbove5kHz(m.voicedHfDb, m, curves) > studio.impairment;
}

/** Audible troubles, then what alone keeps a clean recording from the best grade. */
function reasonsFor(
  m: RecordingMeasurements,
  grade: RecordingGrade,
  impairments: Impairments,
  rules: Ruleset,
): ReasonCode[] {
  const worst = codesWorstFirst(impairments);
  const audible = worst.filter((code) => impairments[code]! >= audibleSize(code));
  const shortfalls = m.speechSecs < rules.tooShortSecs ? ['too_short' as const] : [];
  const gaps = grade === 'good' ? studioGaps(m, impairments, rules) : [];
  const reasons = [...new Set([...shortfalls, ...audible, ...gaps])];
  return reasons.length === 0 && grade !== 'studio' ? worst.slice(0, 1) : reasons;
}

function audibleSize(code: ReasonCode): number {
  return code === 'listener_score' ? AUDIBLE_TO_MODEL : AUDIBLE;
}

function codesWorstFirst(impairments: Impairments): ReasonCode[] {
  const entries = Object.entries(impairments) as [ReasonCode, number][];
  return entries.sort(([, a], [, b]) => b - a).map(([code]) => code);
}

function verdictOf(
  m: RecordingMeasurements,
  { id }: Ruleset,
  score: number,
  grade: RecordingGrade,
  codes: ReasonCode[],
  impairments: Impairments,
): Verdict {
  const shown = codes.slice(0, MOST_REASONS).filter((code) => code !== 'undecodable_audio');
  const reasons = shown.map((code) => `${code}=${REASON_TEXTS[code].value(m)}`);
  return {
    score: Math.round(score * 100) / 100,
    grade,
    reasons,
    reasonText: reasons.join('; ') || 'within_targets',
    explanations: reasons.length === 0 ? [] : explainFully(reasons.join('; '), m),
    impairments,
    ruleset: id,
    lowConfidence: m.speechSecs < CONFIDENT_SECS || !NOISE_IS_KNOWN.has(m.noiseMethod),
  };
}
