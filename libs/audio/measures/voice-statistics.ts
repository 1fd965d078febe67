import { HOP_SECS, SpeechFrames } from '../signal/speech-frames';
import { mean, percentile } from '../signal/statistics';

interface VoiceStatistics {
  speechRatio: number;
  /** Share of the recording that is voiced (periodic and loud). */
  voicedRatio: number;
  pitchHz: number | null;
  pitchSpread: number;
}

/** How much of the recording is voice, and its pitch. */
export function measureVoice(frames: SpeechFrames): VoiceStatistics {
  const { active, voiced, pitch, count } = frames;
  const hz = voiced.map((frame) => pitch.hz[frame]!);
  const average = mean(hz);
  const spread = Math.sqrt(mean(hz.map((f) => (f - average) ** 2))) / average;
  return {
    speechRatio: count === 0 ? 0 : active.reduce((sum, one) => sum + one, 0) / count,
    voicedRatio: count === 0 ? 0 : voiced.length / count,
    pitchHz: hz.length * HOP_SECS < 0.1 ? null : percentile(hz, 0.5),
    pitchSpread: hz.length < 2 ? 0 : spread,
  };
}
