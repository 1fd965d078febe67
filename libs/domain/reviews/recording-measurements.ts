import type { RecordingPlaces } from './recording-places';

/**
 * What is measured on a recording before it is graded. Levels are dB re full scale unless the name says otherwise;
 * null means that the recording gives nothing to measure it on.
 */
export interface RecordingMeasurements {
  durationSecs: number;
  /** What the header promises and the file does not give, s. Measurements of earlier rulesets lack it. */
  lostSecs?: number;
  sampleRateHz: number;

  /** Integrated loudness of the mono signal, LUFS (ITU-R BS.1770-5); null when all of it is below the gate. */
  loudnessLufs: number | null;
  /** Loudness range, LU (EBU Tech 3342). */
  loudnessRangeLu: number | null;
  truePeakDb: number;
  rmsDb: number;
  /** Mean of the signal as a share of full scale, without sign. */
  dcOffset: number;

  /** Share of samples cut flat at the top. */
  clippedRatio: number;
  /** Share of loud 10 ms peaks that sit at one level: clipping or hard limiting that a codec has smoothed over. */
  saturatedShare: number;
  dropoutsPer10Secs: number;
  /** Clicks and pops; a recording shorter than 5 s counts as 5 s. Measurements of earlier rulesets lack it. */
  clicksPer10Secs?: number;
  /** Taps of keys, mouse buttons and tables, in 10 s of where none is a consonant. Earlier measurements lack it. */
  tapsPer10Secs?: number;

  /** Noise between words above 200 Hz. */
  noiseFloorDb: number | null;
  /** The same with everything below 200 Hz in it: wind, traffic, handling, air conditioning. */
  rumbleDb: number | null;
  /** Level of the active speech over the noise, dB, both above 200 Hz. */
  snrDb: number | null;
  /**
   * Where the noise was found: in pauses, as a mean over time (where parts have more of it), or, without pauses, in the
   * quietest moments of each frequency; unknown where those are the speech itself.
   */
  noiseMethod: 'pauses' | 'over_time' | 'quietest_moments' | 'unknown';

  /** Floor of 5-7.6 kHz in voiced sounds re their level below 3.4 kHz, dB; null when the band is missing. */
  voicedHfDb: number | null;
  /** How far the strongest 5-7.6 kHz sounds (fricatives) stand above that floor, dB; with any tone of the microphone. */
  hfContrastDb: number | null;
  /** Floor of the spectral valleys (300-3400 Hz) in voiced sounds re their level, dB; works on telephone speech. */
  voicedValleyDb: number | null;

  /** The same valleys with the noise left in, dB; no microphone records them as empty as a noise suppressor leaves them. */
  rawValleyDb: number | null;

  /** Peakiness of the spectrum of unvoiced sounds, dB: 2 naturally, more behind noise suppression or a poor codec. */
  unvoicedPeakinessDb: number | null;

  /** Mains hum (50 or 60 Hz and harmonics) re the speech, as loud as it is heard, dB; null when there is none. */
  humDb: number | null;
  /** How far the hum stands out of its surroundings, dB. */
  humProminenceDb: number;

  /** Reverberation time from the decays after sounds, s; null when too few were found. */
  rt60Secs: number | null;

  /** Level of one clear echo re the voice, dB; null without one. Earlier measurements lack it. */
  echoDb?: number | null;
  /** How much later it comes, s. */
  echoSecs?: number | null;
  /** Share of the voiced sounds with another voice or music in them; null with too few. Earlier measurements lack it. */
  secondVoiceShare?: number | null;

  /** Where the spectrum of the speech ends. */
  bandwidthHz: number;
  /** How sharply it ends: dB from just below to just above the edge. */
  edgeDropDb: number;

  /**
   * How much the shape of the spectrum changes within 80 ms, dB: 4 to 9 in speech, whispered too, less in noise and
   * music; null when too little stands out of the noise. Measurements of earlier rulesets lack it.
   */
  spectralChangeDb?: number | null;

  /** Level of the quieter of two channels re the louder, dB; null for one channel. Earlier measurements lack it. */
  weakerChannelDb?: number | null;
  /** Level of two channels added re both on their own, dB: 3 when they are the same, low when one is inverted. */
  channelSumDb?: number | null;

  speechSecs: number;
  /** Share of the recording that is speech. */
  speechRatio: number;
  /** Seconds of periodic (voiced) sound within the speech. */
  voicedSecs: number;
  /** Median pitch, Hz. */
  pitchHz: number | null;
  /** Standard deviation of the pitch as a share of its mean; a tone has none. */
  pitchSpread: number;

  /** What a model of listeners gives the whole, 1 to 5 (DNSMOS P.808); null without the model or when it failed. */
  listenerScore: number | null;

  /** Where the troubles are. Measurements of earlier releases lack it. */
  places?: RecordingPlaces;
}

/** Rumble that is more than the noise above 200 Hz reaching down, dB. */
const RUMBLE_ABOVE_NOISE = 6;

/** Level of what rumbles below 200 Hz re the loudness of the speech, dB; null without rumble. */
export function rumbleBySpeechDb(m: RecordingMeasurements): number | null {
  if (m.rumbleDb === null || m.noiseFloorDb === null || m.loudnessLufs === null) return null;
  return m.rumbleDb < m.noiseFloorDb + RUMBLE_ABOVE_NOISE ? null : m.rumbleDb - m.loudnessLufs;
}
