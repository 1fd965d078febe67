import { PowerSpectrum } from '../signal/fft';

const RATE = 16_000;
const FRAME = 400;
const HOP = 160;
const FFT = 512;
const LOWEST_HZ = 20;
const PREEMPHASIS = 0.97;
/** The least power that has a logarithm here: the resolution of a single-precision number. */
const FLOOR = 2 ** -23;
/** Samples count as 16-bit integers. */
const FULL_SCALE = 32_768;

/** Bands of a frame. */
export const SPEAKER_BANDS = 80;

const hamming = Float64Array.from({ length: FFT }, (_, n) =>
  n < FRAME ? 0.54 - 0.46 * Math.cos((2 * Math.PI * n) / (FRAME - 1)) : 0,
);
const spectrum = new PowerSpectrum(FFT, hamming);
const bands = melTriangles();

/**
 * What models of speakers with a filterbank take (WeSpeaker, 3D-Speaker): 80 mel bands from 20 Hz to 8 kHz of a frame of
 * 25 ms every 10 ms, as natural logarithms of power, each band less its mean. Computed as Kaldi's `compute-fbank-feats` does
 * without dither: each frame without its mean, pre-emphasised by 0.97, under a Hamming window.
 *
 * @param samples at 16 kHz, at least 400
 * @returns frames one after the other, SPEAKER_BANDS each, from low to high frequencies
 */
export function speakerBands(samples: Float32Array): Float32Array {
  const frames = 1 + Math.floor((samples.length - FRAME) / HOP);
  const frame = new Float32Array(FFT);
  const power = new Float32Array(spectrum.bins);
  const result = new Float32Array(frames * SPEAKER_BANDS);
  for (let n = 0; n < frames; n++) {
    emphasise(samples.subarray(n * HOP, n * HOP + FRAME), frame);
    spectrum.measure(frame, 0, power);
    for (let band = 0; band < SPEAKER_BANDS; band++)
      result[n * SPEAKER_BANDS + band] = Math.log(Math.max(FLOOR, weighted(bands[band]!, power)));
  }
  return withoutMeans(result, frames);
}

function emphasise(samples: Float32Array, frame: Float32Array): void {
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / FRAME;
  for (let n = FRAME - 1; n >= 0; n--) {
    const before = samples[Math.max(0, n - 1)]! - mean;
    frame[n] = (samples[n]! - mean - PREEMPHASIS * before) * FULL_SCALE;
  }
}

function weighted(weights: Float64Array, power: Float32Array): number {
  let sum = 0;
  for (let bin = 0; bin < weights.length; bin++) sum += weights[bin]! * power[bin]!;
  return sum;
}

/** In place. */
function withoutMeans(values: Float32Array, frames: number): Float32Array {
  for (let band = 0; band < SPEAKER_BANDS; band++) {
    let sum = 0;
    for (let n = band; n < values.length; n += SPEAKER_BANDS) sum += values[n]!;
    for (let n = band; n < values.length; n += SPEAKER_BANDS) values[n]! -= sum / frames;
  }
  return values;
}

/** Triangles of height 1, whose corners are evenly spread on HTK's mel scale, over the bins below 8 kHz. */
function melTriangles(): Float64Array[] {
  const [lowest, highest] = [toMel(LOWEST_HZ), toMel(RATE / 2)];
  const step = (highest - lowest) / (SPEAKER_BANDS + 1);
  return Array.from({ length: SPEAKER_BANDS }, (_, band) => {
    const centre = lowest + (band + 1) * step;
    return Float64Array.from({ length: FFT / 2 }, (_w, bin) =>
      Math.max(0, 1 - Math.abs(toMel((bin * RATE) / FFT) - centre) / step),
    );
  });
}

function toMel(hz: number): number {
  return 1_127 * Math.log(1 + hz / 700);
}
