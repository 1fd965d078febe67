import { PowerSpectrum } from '../signal/fft';
import { ROUGH, resample } from '../signal/resample';
import { mean, percentile, powerDb } from '../signal/statistics';

const WORKING_RATE = 1024;
const FRAME = 512;
const HOP = 128;
const HARMONICS = 7;
/** A harmonic counts when it stands out of its surroundings this far. */
const PROMINENT_DB = 12;
/** Frames apart that share no sample. */
const APART = FRAME / HOP;
/** Of these pairs of frames the quietest are examined: the others have speech. */
const QUIET_SHARE = 0.4;
/** With fewer of them, below 3.4 s, a voice may look steady too, and no hum is reported. */
const MIN_QUIET = 8;
/** Mean of unit vectors, 1 when every pair turns alike: hum comes close to it, voices stay well below. */
const STEADY = 0.75;

/** Of the harmonics, the third is what is usually heard of hum. */
const REFERENCE_HZ = 150;

interface MainsHum {
  /** Power of the hum, full scale 1, each harmonic weighted as it is heard beside one of 150 Hz; 0 when none stands out. */
  power: number;
  /** How far its strongest harmonic stands out, dB. */
  prominenceDb: number;
  /** The harmonics that stand out. */
  linesHz: number[];
}

/**
 * Hum of 50 or 60 Hz mains with its harmonics. A voice comes and goes and moves in pitch, hum stays: each bin is read in
 * its quiet moments (lower quintile over half-second frames), where only steady lines are left. Where a voice hardly
 * pauses or hardly moves, its own harmonics are left too; what distinguishes them from hum is that their phase wanders.
 */
export function measureHum(samples: Float32Array, sampleRate: number): MainsHum {
  const signal = resample(samples, sampleRate, WORKING_RATE, ROUGH);
  const levels = quietLevels(signal);
  if (!levels) return { power: 0, prominenceDb: 0, linesHz: [] };
  const at50 = linesOf(50, levels, signal);
  const at60 = linesOf(60, levels, signal);
  return at60.prominenceDb > at50.prominenceDb ? at60 : at50;
}

function quietLevels(signal: Float32Array): Float32Array | null {
  const transform = PowerSpectrum.ofSize(FRAME);
  const { bins } = transform;
  const count = countFrames(signal);
  if (count < 4) return null;
  const spectra = new Float32Array(count * bins);
  for (let frame = 0; frame < count; frame++) transform.measure(signal, frame * HOP, spectra, frame * bins);
  const overTime = new Float32Array(count);
  return new Float32Array(bins).map((_, bin) => {
    for (let frame = 0; frame < count; frame++) overTime[frame] = spectra[frame * bins + bin]!;
    return percentile(overTime, 0.2);
  });
}

function linesOf(mainsHz: number, levels: Float32Array, signal: Float32Array): MainsHum {
  const hum: MainsHum = { power: 0, prominenceDb: 0, linesHz: [] };
  for (let harmonic = 1; harmonic <= HARMONICS; harmonic++) {
    const bin = Math.round((harmonic * mainsHz * FRAME) / WORKING_RATE);
    const line = Math.max(levels[bin - 1]!, levels[bin]!, levels[bin + 1]!);
    const around = percentile(
      [...levels.subarray(bin - 10, bin - 4), ...levels.subarray(bin + 5, bin + 11)],
      0.5,
    );
    const prominence = powerDb(line) - powerDb(around);
    if (prominence < PROMINENT_DB || steadiness(signal, harmonic * mainsHz) < STEADY) continue;
    // A Hann-windowed sine of power p peaks at p / 2.
    hum.power += line * 2 * (hearing(harmonic * mainsHz) / hearing(REFERENCE_HZ));
    hum.linesHz.push(harmonic * mainsHz);
    hum.prominenceDb = Math.max(hum.prominenceDb, prominence);
  }
  return hum;
}

/** How strongly a tone is heard: the A-weighting of IEC 61672-1, as a power. */
function hearing(hz: number): number {
  const f = hz ** 2;
  const gain =
    (12194 ** 2 * f ** 2) /
    ((f + 20.6 ** 2) * Math.sqrt((f + 107.7 ** 2) * (f + 737.9 ** 2)) * (f + 12194 ** 2));
  return gain ** 2;
}

function countFrames(signal: Float32Array): number {
  return Math.floor((signal.length - FRAME) / HOP) + 1;
}

/** How alike the phase at `hz` turns, 0..1, from one quiet frame to the next that shares no sample with it. */
function steadiness(signal: Float32Array, hz: number): number {
  const frames = phasorsAt(signal, hz);
  const pairs = frames.slice(APART).map((later, at) => turn(frames[at]!, later));
  const quiet = pairs.sort((a, b) => a.level - b.level).slice(0, Math.ceil(pairs.length * QUIET_SHARE));
  if (quiet.length < MIN_QUIET) return 0;
  return Math.hypot(mean(quiet.map(({ cos }) => cos)), mean(quiet.map(({ sin }) => sin)));
}

interface Phasor {
  re: number;
  im: number;
}

/** The signal at `hz`, frame by frame. */
function phasorsAt(signal: Float32Array, hz: number): Phasor[] {
  const wave = Array.from({ length: FRAME }, (_, n) => {
    const angle = (2 * Math.PI * hz * n) / WORKING_RATE;
    const window = 1 - Math.cos((2 * Math.PI * (n + 0.5)) / FRAME);
    return { re: window * Math.cos(angle), im: -window * Math.sin(angle) };
  });
  return Array.from({ length: countFrames(signal) }, (_, frame) => {
    const found = { re: 0, im: 0 };
    for (let n = 0; n < FRAME; n++) {
      found.re += signal[frame * HOP + n]! * wave[n]!.re;
      found.im += signal[frame * HOP + n]! * wave[n]!.im;
    }
    return found;
  });
}

/** By which angle the later one is ahead, and how loud the louder of both is. */
function turn(earlier: Phasor, later: Phasor): { cos: number; sin: number; level: number } {
  const re = later.re * earlier.re + later.im * earlier.im;
  const im = later.im * earlier.re - later.re * earlier.im;
  const length = Math.hypot(re, im) || 1;
  const level = Math.max(Math.hypot(earlier.re, earlier.im), Math.hypot(later.re, later.im));
  return { cos: re / length, sin: im / length, level };
}
