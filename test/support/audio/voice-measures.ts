import { PowerSpectrum } from '@app/audio/signal/fft';
import { Pcm } from '@app/audio/codecs/pcm';
import { PITCH_RATE, trackPitch } from '@app/audio/signal/pitch-track';
import { resample } from '@app/audio/signal/resample';
import { percentile } from '@app/audio/signal/statistics';

/** Hz. */
export function medianPitch({ samples, sampleRate }: Pcm): number {
  const { hz, strength } = trackPitch(resample(samples, sampleRate, PITCH_RATE));
  return percentile(
    hz.filter((value, frame) => value > 0 && strength[frame]! > 0.6),
    0.5,
  );
}

/** Root mean square difference of the long-term spectra in third octaves, their levels aside. */
export function spectrumDistanceDb(one: Pcm, other: Pcm): number {
  const [a, b] = [bandLevelsDb(one), bandLevelsDb(other)];
  const differences = a.map((level, band) => level - b[band]!);
  const offset = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return Math.sqrt(differences.reduce((sum, value) => sum + (value - offset) ** 2, 0) / differences.length);
}

function bandLevelsDb({ samples, sampleRate }: Pcm): number[] {
  const spectrum = new PowerSpectrum(1024);
  const power = new Float32Array(spectrum.bins);
  const sum = new Float64Array(spectrum.bins);
  for (let at = 0; at + 1024 <= samples.length; at += 512) {
    spectrum.measure(samples, at, power);
    power.forEach((value, bin) => (sum[bin] = sum[bin]! + value));
  }
  const edges = Array.from({ length: 16 }, (_, band) =>
    Math.round((180 * 2 ** (band / 3) * 1024) / sampleRate),
  );
  return edges.slice(1).map((edge, band) => {
    const bins = sum.subarray(edges[band], Math.max(edge, edges[band]! + 1));
    return 10 * Math.log10(bins.reduce((total, value) => total + value, 1e-12));
  });
}
