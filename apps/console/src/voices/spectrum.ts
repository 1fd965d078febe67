/** Samples of one channel, and how many of them make a second. */
export interface Sound {
  samples: Float32Array;
  sampleRate: number;
  durationSecs: number;
}

const SAMPLE_RATE = 44_100;
const WINDOW = 2_048;
const FLOOR_DB = -95;
const CEILING_DB = -15;

/** Decodes a recording, its first channel, at 44.1 kHz. */
export async function decode(bytes: ArrayBuffer): Promise<Sound> {
  const audio = await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(bytes);
  return {
    samples: audio.getChannelData(0),
    sampleRate: audio.sampleRate,
    durationSecs: audio.duration,
  };
}

/** The loudest sample of each of `columns` stretches, of either polarity. */
export function envelope({ samples }: Sound, columns: number): number[] {
  return Array.from({ length: columns }, (_, column) => {
    const to = Math.floor(((column + 1) * samples.length) / columns);
    let most = 0;
    for (let i = Math.floor((column * samples.length) / columns); i < to; i++)
      most = Math.max(most, Math.abs(samples[i]!));
    return most;
  });
}

/**
 * How strong each frequency is at each moment: `columns` moments of `rows` bands, from the lowest to half the sample
 * rate, each from 0 (silence) to 1. Short-time Fourier transform with a Hann window.
 */
export function spectrogram(samples: Float32Array, columns: number, rows: number): Float32Array[] {
  const real = new Float32Array(WINDOW);
  const imaginary = new Float32Array(WINDOW);
  const hop = Math.max(0, samples.length - WINDOW) / Math.max(1, columns - 1);
  return Array.from({ length: columns }, (_, column) => {
    const start = Math.floor(column * hop);
    for (let i = 0; i < WINDOW; i++) {
      real[i] = (samples[start + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW));
    }
    transform(real, imaginary);
    return toBands(real, imaginary, rows);
  });
}

/** The strongest bin of each band. */
function toBands(real: Float32Array, imaginary: Float32Array, rows: number): Float32Array {
  const bands = new Float32Array(rows);
  const bins = WINDOW / 2;
  for (let bin = 0; bin < bins; bin++) {
    const level = 20 * Math.log10((Math.hypot(real[bin]!, imaginary[bin]!) * 4) / WINDOW + 1e-9);
    const share = Math.min(1, Math.max(0, (level - FLOOR_DB) / (CEILING_DB - FLOOR_DB)));
    const row = Math.floor((bin * rows) / bins);
    bands[row] = Math.max(bands[row]!, share);
  }
  return bands;
}

/** The discrete Fourier transform of real numbers in place, for lengths that are powers of two (Cooley and Tukey). */
function transform(real: Float32Array, imaginary: Float32Array): void {
  reorder(real);
  imaginary.fill(0);
  for (let size = 2; size <= real.length; size *= 2) {
    for (let k = 0; k < size / 2; k++) {
      const angle = (-2 * Math.PI * k) / size;
      const cos = Math.cos(angle);
      const sin = Math.sin(angle);
      for (let a = k; a < real.length; a += size) {
        const b = a + size / 2;
        const re = real[b]! * cos - imaginary[b]! * sin;
        const im = real[b]! * sin + imaginary[b]! * cos;
        real[b] = real[a]! - re;
        imaginary[b] = imaginary[a]! - im;
        real[a]! += re;
        imaginary[a]! += im;
      }
    }
  }
}

/** Puts every value where the bits of its place, read backwards, say. */
function reorder(real: Float32Array): void {
  const bits = Math.log2(real.length);
  for (let i = 0; i < real.length; i++) {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit++) reversed |= ((i >> bit) & 1) << (bits - 1 - bit);
    if (reversed > i) [real[i], real[reversed]] = [real[reversed]!, real[i]!];
  }
}
