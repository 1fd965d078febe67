import { CURVES, type Curve, type CurveName } from './recording-curves';
import type { RecordingGrade } from './review-state';

/** The numbers that turn measurements into a grade. Another number is another ruleset, with another id. */
export interface Ruleset {
  id: RulesetId;
  title: string;
  /** What is different from the ruleset before it, for the people who choose one. */
  summary: string;
  curves: Record<CurveName, Curve>;
  /**
   * dB of noise that are put down to a narrow recording, by where its band ends; no more than by its sample rate. Earlier rules
   * put down none.
   */
  noiseSpreadDbByBandwidthHz?: Curve;
  /** The least score of each grade; below `poor` is bad. */
  grades: Record<Exclude<RecordingGrade, 'bad'>, number>;
  /** What the best grade requires besides its score. */
  studio: {
    bandwidthHz: number;
    speechSecs: number;
    truePeakDb: number;
    impairment: number;
    /** Distortion is ignored when fricatives stand out this far. Earlier rules have no such limit. */
    hfContrastDb?: number;
  };
  /** Less speech than this is poor at the best. */
  tooShortSecs: number;
  /**
   * Less voice, a steadier pitch or more noise than this is not speech, unless its spectrum changes as that of speech does
   * (whispers, voices in noise); a spectrum that changes less than that of a tune is none in any case. Null: not checked.
   */
  noSpeech: {
    voicedSecs: number;
    pitchSpread: number;
    snrDb: number;
    spectralChangeDb: { tune: number; speech: number } | null;
  };
  /** A narrower band than this is poor at the best. */
  telephoneHz: number;
  /** Hum counts when it stands out this far. */
  humProminenceDb: number;
  /** Part of noise, distortion, artifacts and reverberation that a model of listeners decides, 0 to 1. */
  listenerShare: number;
}

export const RULESET_IDS = [
  'greenroom-2026-11-4',
  'greenroom-2026-11-4-p808',
  'greenroom-2026-11-strict-4',
  'greenroom-2026-11-telephone-4',
  'greenroom-2026-11-3',
  'greenroom-2026-11-2',
  'greenroom-2026-11-1',
] as const;

export type RulesetId = (typeof RULESET_IDS)[number];

/** The default rules of a review. */
export const CURRENT_RULESET: RulesetId = 'greenroom-2026-11-4';

/** The default rules of a review with a model of listeners. */
export const LISTENER_RULESET: RulesetId = 'greenroom-2026-11-4-p808';

const STANDARD: Ruleset = {
  id: 'greenroom-2026-11-4',
  title: 'Standard',
  summary:
    'Grades follow listeners: the five steps of the absolute category rating scale. In recordings of 16 kHz, noise costs less, as listeners hear it.',
  curves: CURVES,
  noiseSpreadDbByBandwidthHz: [
    [4_500, 0],
    [7_000, 2],
  ],
  grades: { studio: 4.3, good: 3.6, ok: 2.7, poor: 1.9 },
  studio: { bandwidthHz: 12_000, speechSecs: 3, truePeakDb: 0, impairment: 0.5, hfContrastDb: 28 },
  tooShortSecs: 0.9,
  noSpeech: {
    voicedSecs: 0.25,
    pitchSpread: 0.02,
    snrDb: -8,
    spectralChangeDb: { tune: 1.5, speech: 3 },
  },
  telephoneHz: 4_500,
  humProminenceDb: 15,
  listenerShare: 0,
};

const LISTENER: Ruleset = {
  ...STANDARD,
  id: 'greenroom-2026-11-4-p808',
  title: 'Standard with the listener model',
  summary:
    'As Standard, but the P.808 model decides half of what noise, distortion, artifacts and reverberation take off. Needs that model in DNSMOS_MODEL_PATH.',
  listenerShare: 0.5,
};

const STRICT: Ruleset = {
  ...STANDARD,
  id: 'greenroom-2026-11-strict-4',
  title: 'Strict',
  summary:
    'Every grade requires 0.2 points more; studio also requires 5 s of speech, sound up to 15 kHz and peaks of -1 dBTP at the most.',
  grades: { studio: 4.5, good: 3.8, ok: 2.9, poor: 2.1 },
  studio: { bandwidthHz: 15_000, speechSecs: 5, truePeakDb: -1, impairment: 0.35, hfContrastDb: 28 },
};

const TELEPHONE: Ruleset = {
  ...STANDARD,
  id: 'greenroom-2026-11-telephone-4',
  title: 'Telephone',
  summary:
    'For voices on telephone lines: a band that reaches 3.4 kHz costs nothing and can be good; below that as in Standard. Studio requires the full band, as in Standard.',
  curves: {
    ...CURVES,
    bandwidthByHz: [
      [2_500, 2.5],
      [3_100, 2.05],
      [3_400, 0],
    ],
  },
  telephoneHz: 3_100,
};

const FLAT: Curve = [[0, 0]];

const THIRD: Ruleset = {
  ...STANDARD,
  id: 'greenroom-2026-11-3',
  title: 'Standard, third version',
  summary:
    'The default until the fourth version: noise in recordings of 16 kHz costs more, and slight distortion does not keep from studio.',
  noiseSpreadDbByBandwidthHz: undefined,
  studio: { ...STANDARD.studio, hfContrastDb: undefined },
};

const SECOND: Ruleset = {
  ...THIRD,
  id: 'greenroom-2026-11-2',
  title: 'Standard, second version',
  summary: 'The default until the third version: typing, echoes and other voices cost nothing.',
  curves: { ...CURVES, tapsPer10Secs: FLAT, echoByDb: FLAT, secondVoiceByShare: FLAT },
};

const FIRST: Ruleset = {
  ...SECOND,
  id: 'greenroom-2026-11-1',
  title: 'Standard, first version',
  summary:
    'The default until the second version: clicks cost nothing either, and only voiced sounds are speech.',
  curves: {
    ...SECOND.curves,
    clicksPer10Secs: FLAT,
    rumbleBySpeechDb: FLAT,
    damagedByLostShare: FLAT,
    deadChannelByDb: FLAT,
    invertedChannelBySumDb: FLAT,
    spreadDbBySampleRate: FLAT,
    filledDbByPitchHz: FLAT,
  },
  noSpeech: { ...STANDARD.noSpeech, spectralChangeDb: null },
};

const RULESETS: Record<RulesetId, Ruleset> = {
  'greenroom-2026-11-4': STANDARD,
  'greenroom-2026-11-4-p808': LISTENER,
  'greenroom-2026-11-strict-4': STRICT,
  'greenroom-2026-11-telephone-4': TELEPHONE,
  'greenroom-2026-11-3': THIRD,
  'greenroom-2026-11-2': SECOND,
  'greenroom-2026-11-1': FIRST,
};

/** Every ruleset, the standard one first. */
export const ALL_RULESETS: readonly Ruleset[] = Object.values(RULESETS);

export function rulesetOf(id: RulesetId): Ruleset {
  return RULESETS[id];
}

/** The rules of reviews when none are configured. */
export function defaultRuleset(hasListener: boolean): RulesetId {
  return hasListener ? LISTENER_RULESET : CURRENT_RULESET;
}

/** Whether part of the grade is decided by a model of listeners. */
export function needsListener(id: RulesetId): boolean {
  return rulesetOf(id).listenerShare > 0;
}
