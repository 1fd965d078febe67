import { PowerSpectrum } from './fft';
import { PITCH_RATE, PitchTrack, trackPitch } from './pitch-track';
import { COARSE, resample, ROUGH } from './resample';
import { mean, percentile } from './statistics';
import { detectVoice } from './voice-activity';

/** From one frame to the next. */
export const HOP_SECS = 0.01;
/** Below it there is rumble. */
export const LOWEST_HZ = 200;
/** Where 10 % of exponentially distributed power lie, as that of noise is, as a share of its mean. */
export const TENTH_OF_MEAN = 0.105;
const VOICED_STRENGTH = 0.7;
/** Voiced sounds are looked at down to this far below the speech level. */
const VOICED_RANGE = 10 ** (-15 / 10);
/** ITU-T P.56: what lies more than 15.9 dB below the active level is not active. */
const ACTIVE_MARGIN = 10 ** (15.9 / 10);
/** In fewer, the ends of words and breaths are most of what there is. */
const FEWEST_PAUSE_FRAMES = 25;
/** The noise of pauses is taken from the quieter part of their frames, and from no more than this above the quietest. */
const QUIET_SHARE = 0.4;
const QUIETEST_SHARE = 0.1;
const QUIET_RANGE = 10 ** (2.5 / 10);

/** The speech cut in 10 ms steps: spectra, pitch, activity and noise that several measurements share. */
export interface SpeechFrames {
  sampleRate: number;
  /** The speech at `sampleRate`. */
  signal: Float32Array;
  /** The lowest part of the speech, at PITCH_RATE. */
  lowBand: Float32Array;
  count: number;
  /** Width of one bin. */
  binHz: number;
  bins: number;
  /** Power spectra, one frame of `bins` after the other. */
  spectra: Float32Array;
  /** Power from 200 Hz up, per frame. */
  power: Float32Array;
  pitch: PitchTrack;
  /** 1 where the detector is sure of a voice. */
  active: Uint8Array;
  noise: NoiseEstimate;
  /** Mean power of the active speech, noise taken out. */
  speechPower: number;
  /** Frames with loud periodic sound. */
  voiced: number[];
}

interface NoiseEstimate {
  method: 'pauses' | 'quietest_moments';
  /** Mean spectrum of the noise. */
  spectrum: Float32Array;
  /** Power from 200 Hz up. */
  power: number;
  /** Power of the whole band. */
  fullPower: number;
  /** Frames in pauses. */
  frames: number[];
}

/** Cuts and analyses the speech at 16 kHz, or at 8 kHz when the recording has less. */
export async function cutSpeechFrames(samples: Float32Array, originalRate: number): Promise<SpeechFrames> {
  const sampleRate = originalRate >= 16_000 ? 16_000 : 8_000;
  const signal = withoutOffset(resample(samples, originalRate, sampleRate, COARSE));
  const active = await detectVoice(signal, sampleRate, 3);
  const lowBand = resample(signal, sampleRate, PITCH_RATE, ROUGH);
  const pitch = trackPitch(lowBand);
  const count = Math.min(active.length, pitch.hz.length);
  const spectral = cutSpectra(signal, sampleRate, count);
  const noise = estimateNoise(spectral, active, count);
  const speechPower = activePower(spectral.power, noise.power);
  const voiced = voicedFrames(pitch, spectral.power, speechPower);
  return { sampleRate, signal, lowBand, count, ...spectral, pitch, active, noise, speechPower, voiced };
}

/** Sum of the bins from `fromHz` to `toHz` of the frame whose spectrum begins at `offset`. */
export function bandPower(
  spectra: Float32Array,
  offset: number,
  binHz: number,
  fromHz: number,
  toHz: number,
): number {
  const last = Math.floor(toHz / binHz);
  let sum = 0;
  for (let bin = Math.ceil(fromHz / binHz); bin <= last; bin++) sum += spectra[offset + bin]!;
  return sum;
}

/** Summed bins of a Hann-windowed spectrum to mean square: one side of the spectrum, window power 3/8, gain 1/2. */
export function toSampleScale(spectralPower: number): number {
  return (spectralPower * 4) / 3;
}

/** A constant offset is not a sound: in the spectra it would pass for rumble. */
function withoutOffset(signal: Float32Array): Float32Array {
  const offset = signal.length === 0 ? 0 : mean(signal);
  const output = new Float32Array(signal.length);
  for (let n = 0; n < signal.length; n++) output[n] = signal[n]! - offset;
  return output;
}

type Spectral = Pick<SpeechFrames, 'spectra' | 'power' | 'bins' | 'binHz'>;

function cutSpectra(signal: Float32Array, sampleRate: number, count: number): Spectral {
  const size = sampleRate === 16_000 ? 512 : 256;
  const transform = PowerSpectrum.ofSize(size);
  const bins = transform.bins;
  const binHz = sampleRate / size;
  const spectra = new Float32Array(count * bins);
  const power = new Float32Array(count);
  for (let frame = 0; frame < count; frame++) {
    const centre = Math.round((frame + 0.5) * HOP_SECS * sampleRate);
    transform.measure(signal, centre - size / 2, spectra, frame * bins);
    power[frame] = bandPower(spectra, frame * bins, binHz, LOWEST_HZ, sampleRate / 2);
  }
  return { spectra, power, bins, binHz };
}

function estimateNoise(spectral: Spectral, active: Uint8Array, count: number): NoiseEstimate {
  const pauses = pauseFrames(spectral.power, active, count);
  const enough = pauses.length >= FEWEST_PAUSE_FRAMES;
  const spectrum = enough ? quietMean(spectral, pauses) : quietestMoments(spectral, count);
  const power = bandPower(spectrum, 0, spectral.binHz, LOWEST_HZ, spectral.binHz * (spectral.bins - 1));
  const fullPower = spectrum.reduce((sum, value) => sum + value, 0);
  return { method: enough ? 'pauses' : 'quietest_moments', spectrum, power, fullPower, frames: pauses };
}

/** Frames without a voice 30 ms around them; digital silence says nothing about the room. */
function pauseFrames(power: Float32Array, active: Uint8Array, count: number): number[] {
  const frames: number[] = [];
  for (let frame = 3; frame < count - 3; frame++) {
    const quiet = !active[frame - 3] && !active[frame] && !active[frame + 3];
    if (quiet && power[frame]! > 1e-12) frames.push(frame);
  }
  return frames;
}

/** Mean spectrum of the quietest part of the pauses: breaths, clicks and the ends of words stay out. */
function quietMean({ spectra, power, bins }: Spectral, pauses: number[]): Float32Array {
  const levels = pauses.map((frame) => power[frame]!);
  const limit = Math.min(percentile(levels, QUIET_SHARE), percentile(levels, QUIETEST_SHARE) * QUIET_RANGE);
  const quiet = pauses.filter((frame) => power[frame]! <= limit);
  const sum = new Float32Array(bins);
  for (const frame of quiet) {
    for (let bin = 0; bin < bins; bin++) sum[bin] = sum[bin]! + spectra[frame * bins + bin]! / quiet.length;
  }
  return sum;
}

/** Without pauses: the lowest tenth of each bin over time. */
function quietestMoments({ spectra, bins }: Spectral, count: number): Float32Array {
  const column = new Float32Array(count);
  return new Float32Array(bins).map((_, bin) => {
    for (let frame = 0; frame < count; frame++) column[frame] = spectra[frame * bins + bin]!;
    return count === 0 ? 0 : percentile(column, 0.1) / TENTH_OF_MEAN;
  });
}

/** Mean power of the frames that stand out of the noise and are active in the sense of P.56. */
function activePower(power: Float32Array, noise: number): number {
  let level = power.length === 0 ? 0 : percentile(power, 0.95);
  for (let round = 0; round < 8; round++) {
    let [sum, count] = [0, 0];
    for (const value of power) {
      if (value < level / ACTIVE_MARGIN || value < 2 * noise) continue;
      sum += value;
      count++;
    }
    if (count === 0) break;
    level = sum / count;
  }
  return Math.max(level - noise, level * 0.02);
}

function voicedFrames(pitch: PitchTrack, power: Float32Array, speechPower: number): number[] {
  const frames: number[] = [];
  for (let frame = 0; frame < power.length; frame++) {
    if (pitch.strength[frame]! > VOICED_STRENGTH && power[frame]! > speechPower * VOICED_RANGE)
      frames.push(frame);
  }
  return frames;
}
