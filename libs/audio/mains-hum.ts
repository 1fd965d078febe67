import { PowerSpectrum } from './fft';
import { ROUGH, resample } from './resample';
import { percentile, powerDb } from './statistics';

const WORKING_RATE = 1024;
const FRAME = 512;
const HOP = 128;
const HARMONICS = 7;
/** A harmonic counts when it stands out of its surroundings this far. */
const PROMINENT_DB = 12;

export interface MainsHum {
  /** Power of the hum, full scale 1; 0 when none stands out. */
  power: number;
  /** How far its strongest harmonic stands out, dB. */
  prominenceDb: number;
}

/**
 * Hum of 50 or 60 Hz mains with its harmonics. A voice comes and goes and moves in pitch, hum stays: each bin is read in
 * its quiet moments (lower quintile over half-second frames), where only steady lines are left.
 */
export function measureHum(samples: Float32Array, sampleRate: number): MainsHum {
  const levels = quietLevels(resample(samples, sampleRate, WORKING_RATE, ROUGH));
  if (!levels) return { power: 0, prominenceDb: 0 };
  const at50 = linesOf(50, levels);
  const at60 = linesOf(60, levels);
  return at60.prominenceDb > at50.prominenceDb ? at60 : at50;
}

function quietLevels(signal: Float32Array): Float32Array | null {
  const transform = new PowerSpectrum(FRAME);
  const count = Math.floor((signal.length - FRAME) / HOP) + 1;
  if (count < 4) return null;
  const spectra = Array.from({ length: count }, (_, frame) => {
    const power = new Float32Array(transform.bins);
    transform.measure(signal, frame * HOP, power);
    return power;
  });
  const overTime = new Float32Array(count);
  return new Float32Array(transform.bins).map((_, bin) => {
    spectra.forEach((power, frame) => (overTime[frame] = power[bin]!));
    return percentile(overTime, 0.2);
  });
}

function linesOf(mainsHz: number, levels: Float32Array): MainsHum {
  const hum = { power: 0, prominenceDb: 0 };
  for (let harmonic = 1; harmonic <= HARMONICS; harmonic++) {
    const bin = Math.round((harmonic * mainsHz * FRAME) / WORKING_RATE);
    const line = Math.max(levels[bin - 1]!, levels[bin]!, levels[bin + 1]!);
    const around = percentile(
      [...levels.subarray(bin - 10, bin - 4), ...levels.subarray(bin + 5, bin + 11)],
      0.5,
    );
    const prominence = powerDb(line) - powerDb(around);
    if (prominence < PROMINENT_DB) continue;
    // A Hann-windowed sine of power p peaks at p / 2.
    hum.power += line * 2;
    hum.prominenceDb = Math.max(hum.prominenceDb, prominence);
  }
  return hum;
}
