import { allOf } from '../common/sentences';
import { RecordingMeasurements, rumbleBySpeechDb } from './recording-measurements';
import { CURVES, readCurve, type Curve } from './recording-curves';
import type { Stretch } from './recording-places';
import { targetOf, TARGETS, type TargetedMeasurement } from './recording-targets';

/** Troubles that take off less than this are slight, and more than that bad. */
const SLIGHT = 0.6;
const STRONG = 1.3;
const PLACES_SHOWN = 3;

interface ReasonText {
  /** The value behind the code, with its unit: `24.0dB`. */
  value: (m: RecordingMeasurements) => string;
  /** For the customer: what was heard, how bad it is, where, and what to do. Without units that a layman has to look up. */
  sentence: (m: RecordingMeasurements) => string;
  /** For staff: the measurement, and what to aim for. */
  numbers: (m: RecordingMeasurements) => string;
}

export const REASON_CODES = [
  'background_noise',
  'signal_distortion',
  'processing_artifacts',
  'noise_suppression',
  'narrow_bandwidth',
  'clipping',
  'limiting',
  'reverberation',
  'echo',
  'second_voice',
  'mains_hum',
  'rumble',
  'level_low',
  'level_high',
  'dropouts',
  'clicks',
  'dc_offset',
  'dead_channel',
  'inverted_channel',
  'listener_score',
  'damaged_file',
  'too_short',
  'no_speech',
  'undecodable_audio',
] as const;

/** Why a recording is not better, in the words of the wire field `recording_quality_reason`. */
export type ReasonCode = (typeof REASON_CODES)[number];

type MeasuredReason = Exclude<ReasonCode, 'undecodable_audio'>;

export const REASON_TEXTS: Record<MeasuredReason, ReasonText> = {
  background_noise: {
    value: (m) => `${fixed(m.snrDb, 1)}dB`,
    sentence: (m) =>
      `${degree(CURVES.noiseBySnrDb, m.snrDb)} noise behind the voice${m.noiseMethod === 'over_time' ? ', in parts of the recording' : ''}: record in a quieter place, nearer to the microphone.`,
    numbers: (m) =>
      (m.snrDb ?? 0) < 0
        ? `Noise ${fixed(-(m.snrDb ?? 0), 1)} dB above the speech; aim for ${targetOf('snrDb')} below it.`
        : numbersOf('snrDb', m),
  },
  signal_distortion: {
    value: (m) => `${fixed(m.voicedHfDb ?? m.voicedValleyDb, 1)}dB`,
    sentence: (m) =>
      m.voicedHfDb === null
        ? `The voice sounds ${degreeWord(CURVES.distortionByValleyDb, m.voicedValleyDb)} distorted or rough: turn the input level down, and send the recording in better quality.`
        : `The voice sounds ${degreeWord(CURVES.distortionByHfDb, m.voicedHfDb)} distorted, rough or very breathy: turn the input level down, and send the recording in better quality.`,
    numbers: (m) => numbersOf(m.voicedHfDb === null ? 'voicedValleyDb' : 'voicedHfDb', m),
  },
  processing_artifacts: {
    value: (m) => `${fixed(m.unvoicedPeakinessDb, 1)}dB`,
    sentence: (m) =>
      `The sound is ${degreeWord(CURVES.artifactsByPeakinessDb, m.unvoicedPeakinessDb)} watery or metallic, as noise suppression or a low bitrate leaves it: turn suppression off, and use a higher bitrate.`,
    numbers: (m) => numbersOf('unvoicedPeakinessDb', m),
  },
  noise_suppression: {
    value: (m) => `${fixed(m.rawValleyDb, 1)}dB`,
    sentence: (m) =>
      `Noise suppression has ${degreeWord(CURVES.artifactsByRawValleyDb, m.rawValleyDb)} hollowed out the voice: turn it off, and record in a quieter place.`,
    numbers: (m) => numbersOf('rawValleyDb', m),
  },
  narrow_bandwidth: {
    value: (m) => `${fixed(m.bandwidthHz)}Hz`,
    sentence: (m) =>
      `The sound is ${degreeWord(CURVES.bandwidthByHz, m.bandwidthHz)} muffled, as over a telephone or a headset: record in full quality (44.1 or 48 kHz), not over a call.`,
    numbers: (m) => `Nothing above ${kilohertz(m.bandwidthHz)} kHz; aim for 12 kHz or more.`,
  },
  clipping: {
    value: (m) => `${(m.clippedRatio * 100).toFixed(2)}%`,
    sentence: (m) =>
      `The loudest sounds are ${degreeWord(CURVES.clippingByRatio, m.clippedRatio)} cut off${at(m.places?.clipped)}: turn the input level down.`,
    numbers: (m) => `${(m.clippedRatio * 100).toFixed(2)} % of the samples are clipped; aim for none.`,
  },
  limiting: {
    value: (m) => `${fixed(m.saturatedShare * 100)}%`,
    sentence: (m) =>
      `The voice is ${degreeWord(CURVES.limitingByShare, m.saturatedShare)} overloaded or squeezed to one loudness: turn the input level down, and leave the limiter off.`,
    numbers: (m) =>
      `${fixed(m.saturatedShare * 100)} % of the loud moments peak at one level; aim for 30 % or less.`,
  },
  reverberation: {
    value: (m) => `${fixed(m.rt60Secs, 2)}s`,
    sentence: (m) =>
      `The room echoes ${degreeWord(CURVES.reverberationBySecs, m.rt60Secs)}: record in a furnished room, nearer to the microphone.`,
    numbers: (m) => `Reverberation time: ${fixed(m.rt60Secs, 2)} s; aim for ${targetOf('rt60Secs')}.`,
  },
  echo: {
    value: (m) => `${fixed(m.echoDb ?? null, 1)}dB`,
    sentence: (m) =>
      (m.echoSecs ?? 0) < HEARD_TWICE_SECS
        ? 'The voice arrives twice, nearly at once, and sounds hollow: record with one microphone, away from hard surfaces.'
        : `The voice is heard a second time after ${tenths(m.echoSecs ?? 0)} s: use headphones, and leave echo effects off.`,
    numbers: (m) =>
      `An echo after ${fixed((m.echoSecs ?? 0) * 1_000)} ms, ${fixed(-(m.echoDb ?? 0), 1)} dB below the voice; aim for none.`,
  },
  second_voice: {
    value: (m) => `${fixed((m.secondVoiceShare ?? 0) * 100)}%`,
    sentence: () =>
      'Another voice, or music, is heard behind the speaker: record one person alone, without anything playing.',
    numbers: (m) =>
      `A second pitch in ${fixed((m.secondVoiceShare ?? 0) * 100)} % of the voiced sounds; aim for 3 % or less.`,
  },
  mains_hum: {
    value: (m) => `${fixed(m.humDb, 1)}dB`,
    sentence: (m) =>
      `${degree(CURVES.humByDb, m.humDb)} hum of the mains: move cables and chargers away, or run on battery.`,
    numbers: (m) => numbersOf('humDb', m),
  },
  rumble: {
    value: (m) => `${fixed(rumbleBySpeechDb(m), 1)}dB`,
    sentence: (m) =>
      `${degree(CURVES.rumbleBySpeechDb, rumbleBySpeechDb(m))} rumble of wind, traffic or handling: use a wind shield or a stand, and the low-cut filter.`,
    numbers: (m) =>
      `Rumble below 200 Hz: ${fixed(rumbleBySpeechDb(m), 1)} dB re the speech; aim for -20 dB or less.`,
  },
  level_low: {
    value: (m) => `${loudness(m).toFixed(1)}LUFS`,
    sentence: (m) =>
      `The recording is ${degreeWord(CURVES.levelByLufs, loudness(m))} too quiet: go nearer to the microphone, or turn the input level up.`,
    numbers: (m) => `Loudness: ${loudness(m).toFixed(1)} LUFS; aim for ${targetOf('loudnessLufs')}.`,
  },
  level_high: {
    value: (m) => (isTooLoud(m) ? `${fixed(m.loudnessLufs, 1)}LUFS` : `${fixed(m.truePeakDb, 1)}dBTP`),
    sentence: (m) =>
      isTooLoud(m)
        ? `The recording is ${degreeWord(CURVES.levelByLufs, loudness(m))} too loud: turn the level down.`
        : 'The peaks are too high, and some players cut them off: turn the level down a little.',
    numbers: (m) => numbersOf(isTooLoud(m) ? 'loudnessLufs' : 'truePeakDb', m),
  },
  dropouts: {
    value: (m) => `${fixed(m.dropoutsPer10Secs, 1)}/10s`,
    sentence: (m) =>
      `The sound breaks off or repeats itself${at(m.places?.dropouts)}: record on the device itself, not over a connection.`,
    numbers: (m) => numbersOf('dropoutsPer10Secs', m),
  },
  clicks: {
    value: (m) => `${fixed(clicks(m), 1)}/10s`,
    sentence: (m) =>
      `Clicks, taps or typing are heard${at(m.places?.clicks)}: keep hands off the keyboard and the table, and check the cable.`,
    numbers: (m) =>
      `Clicks: ${fixed(m.clicksPer10Secs ?? 0, 1)} in 10 s; taps: ${fixed(m.tapsPer10Secs ?? 0, 1)} in 10 s between the sounds of speech; aim for none.`,
  },
  dc_offset: {
    value: (m) => `${fixed(m.dcOffset, 3)}FS`,
    sentence: () =>
      'The recording is off centre, which takes room of the voice: use another sound card, or the low-cut filter.',
    numbers: (m) => `DC offset: ${fixed(m.dcOffset * 100, 1)} % of full scale; aim for 0.5 % or less.`,
  },
  dead_channel: {
    value: (m) => `${fixed(m.weakerChannelDb ?? null)}dB`,
    sentence: () => 'One of the two channels is empty, or nearly so: record in mono, or both channels.',
    numbers: (m) =>
      `The quieter channel: ${fixed(m.weakerChannelDb ?? null)} dB re the louder; aim for -30 dB or more.`,
  },
  inverted_channel: {
    value: (m) => `${fixed(m.channelSumDb ?? null)}dB`,
    sentence: () =>
      'One of the two channels is inverted, so on one loudspeaker the voice is gone: swap the wires of one microphone, or record in mono.',
    numbers: (m) =>
      `Both channels added: ${fixed(m.channelSumDb ?? null)} dB re both on their own; aim for -10 dB or more.`,
  },
  listener_score: {
    value: (m) => `${fixed(m.listenerScore, 1)}MOS`,
    sentence: () =>
      'The recording sounds worse than its measurements explain: listen to it, and record it again if you hear why.',
    numbers: (m) => `A model of listeners gives it ${fixed(m.listenerScore, 1)} of 5.`,
  },
  damaged_file: {
    value: (m) => `${(m.lostSecs ?? 0).toFixed((m.lostSecs ?? 0) < 0.1 ? 2 : 1)}s`,
    sentence: () => 'The file is damaged or was cut off on its way: send it again.',
    numbers: (m) =>
      `At least ${(m.lostSecs ?? 0).toFixed(2)} of ${fixed(m.durationSecs + (m.lostSecs ?? 0), 1)} s are lost; aim for none.`,
  },
  too_short: {
    value: (m) => `${fixed(m.speechSecs, 1)}s`,
    sentence: () => 'There is little speech to go by: record some more sentences.',
    numbers: (m) => numbersOf('speechSecs', m),
  },
  no_speech: {
    value: (m) => `${fixed(m.voicedSecs, 1)}s`,
    sentence: () => 'No speech was found in the recording: check the microphone, and record again.',
    numbers: (m) => `Voiced sounds: ${fixed(m.voicedSecs, 1)} s.`,
  },
};

/** A voice that comes again so soon is heard as one that sounds hollow. */
const HEARD_TWICE_SECS = 0.03;

const ACCEPTED_FILES = 'send a WAV, MP3, FLAC or Ogg file';

/** What the customer reads of bytes that are not audio. */
function undecodable(found: string | null): string {
  return found === null
    ? `The audio could not be read: ${ACCEPTED_FILES}.`
    : `The audio could not be read, because it is ${found}: ${ACCEPTED_FILES}.`;
}

/** A reason of the wire field `recording_quality_reason`, for people. */
export interface ExplainedReason {
  code: string;
  /** With its unit; null for a reason that is not a measurement. */
  value: string | null;
  /** As the customer may read it. */
  sentence: string;
  /** What was measured, and what to aim for; null for a reason that is not a measurement. */
  numbers: string | null;
}

/** What a grade that a person gave says in `recording_quality_reason`. */
const MANUAL = /^manual: ([^]*)$/;

/** Reads a `recording_quality_reason` back and says each of its reasons in a sentence. */
export function explainReasons(text: string, m: RecordingMeasurements | null): ExplainedReason[] {
  if (text === 'within_targets') return [];
  const manual = MANUAL.exec(text)?.[1];
  if (manual !== undefined)
    return [{ code: 'manual', value: null, sentence: `Graded by a person: ${manual}`, numbers: null }];
  return text.split('; ').map((part) => {
    const [code = '', value = null] = part.split('=');
    if (isMeasured(code) && m) {
      const { sentence, numbers } = REASON_TEXTS[code];
      return { code, value, sentence: sentence(m), numbers: numbers(m) };
    }
    return { code, value, sentence: code === 'undecodable_audio' ? undecodable(value) : part, numbers: null };
  });
}

/** For the customer and for staff, in one line. */
export function explainFully(text: string, m: RecordingMeasurements | null): string[] {
  return explainReasons(text, m).map(({ sentence, numbers }) =>
    numbers === null ? sentence : `${sentence} ${numbers}`,
  );
}

function isMeasured(code: string): code is MeasuredReason {
  return Object.hasOwn(REASON_TEXTS, code);
}

/** Above this the whole recording is too loud, not only its peaks. */
function isTooLoud(m: RecordingMeasurements): boolean {
  return loudness(m) > -14;
}

/** The clicks or the taps, whichever take more off. */
function clicks(m: RecordingMeasurements): number {
  const [perClick, perTap] = [m.clicksPer10Secs ?? 0, m.tapsPer10Secs ?? 0];
  const isTaps = readCurve(CURVES.tapsPer10Secs, perTap) > readCurve(CURVES.clicksPer10Secs, perClick);
  return isTaps ? perTap : perClick;
}

/** How bad it is, by what it takes off. */
function degreeWord(curve: Curve, value: number | null): 'slightly' | 'clearly' | 'badly' {
  const size = value === null ? 0 : readCurve(curve, value);
  if (size < SLIGHT) return 'slightly';
  return size < STRONG ? 'clearly' : 'badly';
}

function degree(curve: Curve, value: number | null): string {
  const words = { slightly: 'There is a little', clearly: 'There is clear', badly: 'There is loud' };
  return words[degreeWord(curve, value)];
}

/** ` at 0:03, 0:12 and 4 more places`; nothing without places. */
function at(stretches: readonly Stretch[] = []): string {
  if (stretches.length === 0) return '';
  const shown = stretches.slice(0, PLACES_SHOWN).map(({ fromSecs }) => clock(fromSecs));
  const more = stretches.length - shown.length;
  const all = more > 0 ? [...shown, `${more} more ${more === 1 ? 'place' : 'places'}`] : shown;
  return ` at ${allOf(all)}`;
}

function clock(secs: number): string {
  return `${Math.floor(secs / 60)}:${String(Math.floor(secs % 60)).padStart(2, '0')}`;
}

/** As the bar of the measurement has it: `Reverberation time: 0.74 s; aim for 0.3 s or less.` */
function numbersOf(measurement: TargetedMeasurement, m: RecordingMeasurements): string {
  const { label, unit, digits } = TARGETS[measurement];
  const value = m[measurement];
  const text = value === null ? 'unknown' : `${value.toFixed(digits)}${unit ? ` ${unit}` : ''}`;
  return `${label}: ${text}; aim for ${targetOf(measurement)}.`;
}

/** Without any value the recording is below the gate of the loudness measurement. */
function loudness(m: RecordingMeasurements): number {
  return m.loudnessLufs ?? -70;
}

function fixed(value: number | null, digits = 0): string {
  return value === null ? '?' : value.toFixed(digits);
}

function tenths(secs: number): string {
  return Math.max(0.1, secs).toFixed(1);
}

function kilohertz(hz: number): string {
  return (hz / 1000).toFixed(1);
}
