import { RecordingMeasurements, rumbleBySpeechDb } from './recording-measurements';
import { targetOf } from './recording-targets';

interface ReasonText {
  /** The value behind the code, with its unit: `24.0dB`. */
  value: (m: RecordingMeasurements) => string;
  /** The same for people, with what to aim for. */
  sentence: (m: RecordingMeasurements) => string;
}

export const REASON_CODES = [
  'background_noise',
  'signal_distortion',
  'processing_artifacts',
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
    sentence: (m) => `Background noise: ${fixed(m.snrDb)} dB below speech; aim for ${targetOf('snrDb')}.`,
  },
  signal_distortion: {
    value: (m) => `${fixed(m.voicedHfDb ?? m.voicedValleyDb, 1)}dB`,
    sentence: (m) =>
      m.voicedHfDb === null
        ? `Distorted or rough voice: its residue is ${fixed(m.voicedValleyDb)} dB re the voice; aim for ${targetOf('voicedValleyDb')}.`
        : `Distorted, rough or very breathy voice: its residue above 5 kHz is ${fixed(m.voicedHfDb)} dB re the voice; aim for ${targetOf('voicedHfDb')}.`,
  },
  processing_artifacts: {
    value: (m) => `${(isPeaky(m) ? m.unvoicedPeakinessDb : m.rawValleyDb)?.toFixed(1)}dB`,
    sentence: (m) =>
      isPeaky(m)
        ? `Watery or metallic sound, as of noise suppression or a low-bitrate codec: unvoiced sounds peak by ${fixed(m.unvoicedPeakinessDb, 1)} dB; aim for ${targetOf('unvoicedPeakinessDb')}.`
        : `Noise suppression has emptied the voice: gaps of ${fixed(m.rawValleyDb)} dB in its spectrum; aim for ${targetOf('rawValleyDb')}.`,
  },
  narrow_bandwidth: {
    value: (m) => `${fixed(m.bandwidthHz)}Hz`,
    sentence: (m) => `Muffled sound: nothing above ${kilohertz(m.bandwidthHz)} kHz; aim for 12 kHz or more.`,
  },
  clipping: {
    value: (m) => `${(m.clippedRatio * 100).toFixed(2)}%`,
    sentence: (m) =>
      `Clipping: ${(m.clippedRatio * 100).toFixed(2)} % of the samples are cut off; turn the input level down.`,
  },
  limiting: {
    value: (m) => `${fixed(m.saturatedShare * 100)}%`,
    sentence: (m) =>
      `Overloaded or heavily limited: ${fixed(m.saturatedShare * 100)} % of the loud moments peak at one level; aim for 30 % or less.`,
  },
  reverberation: {
    value: (m) => `${fixed(m.rt60Secs, 2)}s`,
    sentence: (m) =>
      `Echoing room: sound takes ${fixed(m.rt60Secs, 2)} s to die away; aim for ${targetOf('rt60Secs')}.`,
  },
  echo: {
    value: (m) => `${fixed(m.echoDb ?? null, 1)}dB`,
    sentence: (m) => `Echo: the voice comes again after ${fixed((m.echoSecs ?? 0) * 1000)} ms; aim for none.`,
  },
  second_voice: {
    value: (m) => `${fixed((m.secondVoiceShare ?? 0) * 100)}%`,
    sentence: () => 'Another voice, or music, is heard behind the speaker; aim for one voice alone.',
  },
  mains_hum: {
    value: (m) => `${fixed(m.humDb, 1)}dB`,
    sentence: (m) => `Mains hum: ${fixed(-(m.humDb ?? 0))} dB below speech; aim for 50 dB or more.`,
  },
  rumble: {
    value: (m) => `${fixed(rumbleBySpeechDb(m), 1)}dB`,
    sentence: (m) =>
      `Rumble below 200 Hz (wind, traffic, handling), ${fixed(rumbleBySpeechDb(m))} dB re the speech; aim for -20 dB or less.`,
  },
  level_low: {
    value: (m) => `${loudness(m).toFixed(1)}LUFS`,
    sentence: (m) => `Too quiet: ${loudness(m).toFixed()} LUFS; aim for ${targetOf('loudnessLufs')}.`,
  },
  level_high: {
    value: (m) => (isTooLoud(m) ? `${fixed(m.loudnessLufs, 1)}LUFS` : `${fixed(m.truePeakDb, 1)}dBTP`),
    sentence: (m) =>
      isTooLoud(m)
        ? `Too loud: ${fixed(m.loudnessLufs)} LUFS; aim for ${targetOf('loudnessLufs')}.`
        : `Peaks too high: ${fixed(m.truePeakDb, 1)} dB over full scale; aim for ${targetOf('truePeakDb')}.`,
  },
  dropouts: {
    value: (m) => `${fixed(m.dropoutsPer10Secs, 1)}/10s`,
    sentence: (m) =>
      `Gaps: the sound breaks off ${fixed(m.dropoutsPer10Secs, 1)} times in 10 s; aim for none.`,
  },
  clicks: {
    value: (m) => `${fixed(m.clicksPer10Secs ?? 0, 1)}/10s`,
    sentence: (m) => `Clicks or pops: ${fixed(m.clicksPer10Secs ?? 0, 1)} in 10 s; aim for none.`,
  },
  dc_offset: {
    value: (m) => `${fixed(m.dcOffset, 3)}FS`,
    sentence: (m) => `DC offset: ${fixed(m.dcOffset * 100, 1)} % of full scale; aim for 0.5 % or less.`,
  },
  dead_channel: {
    value: (m) => `${fixed(m.weakerChannelDb ?? null)}dB`,
    sentence: (m) =>
      `One of the two channels is empty or nearly so (${fixed(m.weakerChannelDb ?? null)} dB re the other); record one channel, or both.`,
  },
  inverted_channel: {
    value: (m) => `${fixed(m.channelSumDb ?? null)}dB`,
    sentence: () =>
      'One of the two channels is inverted: on one loudspeaker they cancel each other; swap the wires of one microphone.',
  },
  listener_score: {
    value: (m) => `${fixed(m.listenerScore, 1)}MOS`,
    sentence: (m) =>
      `A model of listeners gives it ${fixed(m.listenerScore, 1)} of 5, less than the measurements explain; listen to it.`,
  },
  damaged_file: {
    value: (m) => `${fixed(m.lostSecs ?? 0, 1)}s`,
    sentence: (m) =>
      `The file is damaged or cut off: ${fixed(m.lostSecs ?? 0, 1)} of ${fixed(m.durationSecs + (m.lostSecs ?? 0), 1)} s are lost; send it again.`,
  },
  too_short: {
    value: (m) => `${fixed(m.speechSecs, 1)}s`,
    sentence: (m) => `Little speech: ${fixed(m.speechSecs, 1)} s; aim for ${targetOf('speechSecs')}.`,
  },
  no_speech: {
    value: (m) => `${fixed(m.voicedSecs, 1)}s`,
    sentence: () => 'No speech was found in the recording.',
  },
};

export const UNDECODABLE_SENTENCE = 'The audio could not be read.';

/** A reason of the wire field `recording_quality_reason`, for people. */
export interface ExplainedReason {
  code: string;
  /** With its unit; null for a reason that is not a measurement. */
  value: string | null;
  sentence: string;
}

/** What a grade that a person gave says in `recording_quality_reason`. */
const MANUAL = /^manual: ([^]*)$/;

/** Reads a `recording_quality_reason` back and says each of its reasons in a sentence. */
export function explainReasons(text: string, m: RecordingMeasurements | null): ExplainedReason[] {
  if (text === 'within_targets') return [];
  const manual = MANUAL.exec(text)?.[1];
  if (manual !== undefined)
    return [{ code: 'manual', value: null, sentence: `Graded by a person: ${manual}` }];
  return text.split('; ').map((part) => {
    const [code = '', value = null] = part.split('=');
    const known = isMeasured(code) && m ? REASON_TEXTS[code].sentence(m) : null;
    return { code, value, sentence: known ?? (code === 'undecodable_audio' ? UNDECODABLE_SENTENCE : part) };
  });
}

function isMeasured(code: string): code is MeasuredReason {
  return Object.hasOwn(REASON_TEXTS, code);
}

/** Above this the whole recording is too loud, not only its peaks. */
function isTooLoud(m: RecordingMeasurements): boolean {
  return loudness(m) > -14;
}

/** Measured on the unvoiced sounds, or else on the voiced ones. */
function isPeaky(m: RecordingMeasurements): boolean {
  return (m.unvoicedPeakinessDb ?? 0) > 2.9;
}

/** Without any value the recording is below the gate of the loudness measurement. */
function loudness(m: RecordingMeasurements): number {
  return m.loudnessLufs ?? -70;
}

function fixed(value: number | null, digits = 0): string {
  return value === null ? '?' : value.toFixed(digits);
}

function kilohertz(hz: number): string {
  return (hz / 1000).toFixed(1);
}
