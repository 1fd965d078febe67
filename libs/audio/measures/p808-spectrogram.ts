import { Spectrum321, SPECTRUM_321_BINS } from '../signal/spectrum-321';

const RATE = 16_000;
const FRAME = 321;
const HOP = 160;
const FRAMES = 900;
const BANDS = 120;

/** Samples that a spectrogram is computed of: nine seconds at 16 kHz. */
export const SPECTROGRAM_SAMPLES = FRAMES * HOP;
/** What a DNSMOS P.808 model takes: frames of mel bands. */
export const SPECTROGRAM_SHAPE = [FRAMES, BANDS] as const;

/** Power under which everything is silence. */
const FLOOR = 1e-10;
const RANGE_DB = 80;

/** The mel scale of Slaney's Auditory Toolbox (1998): linear below 1 kHz, logarithmic above. */
const LINEAR_HZ = 1_000;
const HZ_PER_MEL = 200 / 3;
const LINEAR_MELS = LINEAR_HZ / HZ_PER_MEL;
const MELS_PER_E = 27 / Math.log(6.4);

interface MelBand {
  firstBin: number;
  weights: number[];
}

const spectrum = new Spectrum321();
const bands = melBands(SPECTRUM_321_BINS);

/**
 * What DNSMOS P.808 (Reddy, Gopal and Cutler, 2021) receives of a window, as in the DNS Challenge's `dnsmos_local.py`: a
 * spectrogram of 120 mel bands up to 8 kHz every 10 ms, in dB re its maximum, of which -80 to 0 become -1 to 1.
 *
 * @param window SPECTROGRAM_SAMPLES at 16 kHz
 * @returns frames one after the other, from low to high frequencies; SPECTROGRAM_SHAPE
 */
export function p808Spectrogram(window: Float32Array): Float32Array {
  const power = new Float64Array(SPECTRUM_321_BINS);
  const mel = new Float32Array(FRAMES * BANDS);
  for (let frame = 0; frame < FRAMES; frame++) {
    // The first frame is centred on the first sample.
    spectrum.measure(window, (frame - 1) * HOP, power);
    for (let band = 0; band < BANDS; band++) mel[frame * BANDS + band] = inBand(bands[band]!, power);
  }
  return toDecibels(mel);
}

function inBand({ firstBin, weights }: MelBand, power: Float64Array): number {
  let sum = 0;
  for (let n = 0; n < weights.length; n++) sum += weights[n]! * power[firstBin + n]!;
  return sum;
}

/** In place. */
function toDecibels(mel: Float32Array): Float32Array {
  const loudest = mel.reduce((a, b) => Math.max(a, b), FLOOR);
  for (let n = 0; n < mel.length; n++) {
    const db = 10 * Math.log10(Math.max(FLOOR, mel[n]!) / loudest);
    mel[n] = (Math.max(-RANGE_DB, db) + RANGE_DB / 2) / (RANGE_DB / 2);
  }
  return mel;
}

/** Triangles of equal area, whose corners are evenly spread on the mel scale. */
function melBands(bins: number): MelBand[] {
  const mostMel = toMel(RATE / 2);
  const corners = Array.from({ length: BANDS + 2 }, (_, n) => toHz((n * mostMel) / (BANDS + 1)));
  return Array.from({ length: BANDS }, (_, band) => {
    const [from, centre, to] = corners.slice(band, band + 3) as [number, number, number];
    const weights = Array.from({ length: bins }, (_w, bin) => {
      const hz = (bin * RATE) / FRAME;
      const height = Math.min((hz - from) / (centre - from), (to - hz) / (to - centre));
      return (Math.max(0, height) * 2) / (to - from);
    });
    const firstBin = Math.max(
      0,
      weights.findIndex((weight) => weight > 0),
    );
    return { firstBin, weights: weights.slice(firstBin, weights.findLastIndex((weight) => weight > 0) + 1) };
  });
}

function toMel(hz: number): number {
  return hz < LINEAR_HZ ? hz / HZ_PER_MEL : LINEAR_MELS + Math.log(hz / LINEAR_HZ) * MELS_PER_E;
}

function toHz(mel: number): number {
  return mel < LINEAR_MELS ? mel * HZ_PER_MEL : LINEAR_HZ * Math.exp((mel - LINEAR_MELS) / MELS_PER_E);
}
