const SIZE = 321;
const THIRD = SIZE / 3;
/** Frequencies of a third from 0 Hz to just below Nyquist, and samples that are left of it when its ends are added up. */
const FOLDED = (THIRD + 1) / 2;
const SIN_THIRD = Math.sqrt(3) / 2;

/** Bins of a spectrum, from 0 Hz to just below Nyquist. */
export const SPECTRUM_321_BINS = (SIZE + 1) / 2;

const WINDOW = Float64Array.from({ length: SIZE }, (_, n) => (1 - Math.cos((2 * Math.PI * n) / SIZE)) / 2);
/** FOLDED rows of as many numbers: what the samples of a third are multiplied by. */
const COS = foldedTable(Math.cos);
const SIN = foldedTable(Math.sin);
/** By how much the second third is turned in each frequency; the last one twice as far. */
const TURN_COS = Float64Array.from({ length: FOLDED }, (_, k) => Math.cos((2 * Math.PI * k) / SIZE));
const TURN_SIN = Float64Array.from({ length: FOLDED }, (_, k) => -Math.sin((2 * Math.PI * k) / SIZE));

/**
 * Power spectra of frames of 321 samples, the size that DNSMOS P.808 expects and no power of two: 321 is 3 times 107, so
 * three transforms of every third sample are joined. Each of them works on the sums (for the real part) and differences
 * (for the imaginary part) of the samples from both ends, which halves it.
 */
export class Spectrum321 {
  private readonly sums = new Float64Array(FOLDED * 3);
  private readonly differences = new Float64Array(FOLDED * 3);
  private readonly real = new Float64Array(FOLDED * 3);
  private readonly imag = new Float64Array(FOLDED * 3);

  /**
   * Writes the power of every bin of the frame that starts at `offset` (silence before and after the sound). The frame
   * has a periodic Hann window that peaks at 1.
   *
   * @param power SPECTRUM_321_BINS numbers
   */
  measure(samples: Float32Array, offset: number, power: Float64Array): void {
    for (let start = 0; start < 3; start++) this.load(samples, offset, start);
    multiply(COS, this.sums, this.real);
    multiply(SIN, this.differences, this.imag);
    for (let k = 0; k < FOLDED; k++) this.join(k, power);
  }

  private load(samples: Float32Array, offset: number, start: number): void {
    const { sums, differences } = this;
    sums[start] = (samples[offset + start] ?? 0) * WINDOW[start]!;
    for (let m = 1; m < FOLDED; m++) {
      const early = 3 * m + start;
      const late = 3 * (THIRD - m) + start;
      const first = (samples[offset + early] ?? 0) * WINDOW[early]!;
      const second = (samples[offset + late] ?? 0) * WINDOW[late]!;
      sums[3 * m + start] = first + second;
      differences[3 * m + start] = second - first;
    }
  }

  /** Frequency `k` of the thirds is in three bins: k, k + 107 and k - 107, whose power is that of 107 - k. */
  private join(k: number, power: Float64Array): void {
    const { real, imag } = this;
    const [c, s] = [TURN_COS[k]!, TURN_SIN[k]!];
    const [cTwice, sTwice] = [c * c - s * s, 2 * c * s];
    const [aRe, aIm] = [real[3 * k]!, imag[3 * k]!];
    const bRe = real[3 * k + 1]! * c - imag[3 * k + 1]! * s;
    const bIm = real[3 * k + 1]! * s + imag[3 * k + 1]! * c;
    const cRe = real[3 * k + 2]! * cTwice - imag[3 * k + 2]! * sTwice;
    const cIm = real[3 * k + 2]! * sTwice + imag[3 * k + 2]! * cTwice;
    const [re, im] = [aRe - (bRe + cRe) / 2, aIm - (bIm + cIm) / 2];
    const [turnedRe, turnedIm] = [(bIm - cIm) * SIN_THIRD, (cRe - bRe) * SIN_THIRD];
    power[k] = (aRe + bRe + cRe) ** 2 + (aIm + bIm + cIm) ** 2;
    power[THIRD + k] = (re + turnedRe) ** 2 + (im + turnedIm) ** 2;
    power[THIRD - k] = (re - turnedRe) ** 2 + (im - turnedIm) ** 2;
  }
}

function foldedTable(of: (angle: number) => number): Float64Array {
  return Float64Array.from({ length: FOLDED * FOLDED }, (_, index) =>
    of((2 * Math.PI * Math.floor(index / FOLDED) * (index % FOLDED)) / THIRD),
  );
}

/** A table times the samples of the thirds, three in a row. Two rows at a time: most of the work is reading numbers. */
function multiply(table: Float64Array, thirds: Float64Array, output: Float64Array): void {
  for (let row = 0; row < FOLDED; row += 2) {
    const first = row * FOLDED;
    const second = first + FOLDED;
    let [a, b, c, nextA, nextB, nextC] = [0, 0, 0, 0, 0, 0];
    for (let m = 0; m < FOLDED; m++) {
      const factor = table[first + m]!;
      const nextFactor = table[second + m]!;
      const x = thirds[3 * m]!;
      const y = thirds[3 * m + 1]!;
      const z = thirds[3 * m + 2]!;
      a += x * factor;
      b += y * factor;
      c += z * factor;
      nextA += x * nextFactor;
      nextB += y * nextFactor;
      nextC += z * nextFactor;
    }
    output[3 * row] = a;
    output[3 * row + 1] = b;
    output[3 * row + 2] = c;
    output[3 * row + 3] = nextA;
    output[3 * row + 4] = nextB;
    output[3 * row + 5] = nextC;
  }
}
