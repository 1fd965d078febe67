/** Those with the default window, by size: their tables take longer than a few of their uses. */
const spectra = new Map<number, PowerSpectrum>();

/**
 * Power spectra of real frames of one size (a power of two): a radix-4 transform of half the size on even and odd
 * samples as one complex signal, then untangled. Tables are computed once per size.
 */
export class PowerSpectrum {
  readonly bins: number;
  private readonly half: number;
  private readonly real: Float64Array;
  private readonly imag: Float64Array;
  private readonly cos: Float64Array;
  private readonly sin: Float64Array;
  private readonly reversed: Uint32Array;

  /**
   * @param size frame length in samples
   * @param window factors of the samples of a frame; by default a Hann window, scaled so that a full-scale sine peaks at 0.25
   */
  constructor(
    readonly size: number,
    private readonly window = hannWindow(size),
  ) {
    this.half = size / 2;
    this.bins = this.half + 1;
    this.real = new Float64Array(this.half);
    this.imag = new Float64Array(this.half);
    this.cos = Float64Array.from({ length: this.half }, (_, k) => Math.cos((2 * Math.PI * k) / size));
    this.sin = Float64Array.from({ length: this.half }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
    this.reversed = bitReversal(this.half);
  }

  /** With the default window; all of a thread use the same one. */
  static ofSize(size: number): PowerSpectrum {
    const known = spectra.get(size) ?? new PowerSpectrum(size);
    spectra.set(size, known);
    return known;
  }

  /**
   * Writes the power of every bin, 0 Hz to Nyquist, of the frame that starts at `offset` (silence before and after the sound).
   *
   * @param at where in `power` the bins begin
   */
  measure(samples: Float32Array, offset: number, power: Float32Array, at = 0): void {
    if (offset >= 0 && offset + this.size <= samples.length) this.loadWhole(samples, offset);
    else this.loadEdge(samples, offset);
    this.transform();
    this.untangle(power, at);
  }

  private loadWhole(samples: Float32Array, offset: number): void {
    const { real, imag, window, reversed, half } = this;
    for (let n = 0; n < half; n++) {
      const to = reversed[n]!;
      real[to] = samples[offset + 2 * n]! * window[2 * n]!;
      imag[to] = samples[offset + 2 * n + 1]! * window[2 * n + 1]!;
    }
  }

  private loadEdge(samples: Float32Array, offset: number): void {
    for (let n = 0; n < this.half; n++) {
      const to = this.reversed[n]!;
      this.real[to] = (samples[offset + 2 * n] ?? 0) * this.window[2 * n]!;
      this.imag[to] = (samples[offset + 2 * n + 1] ?? 0) * this.window[2 * n + 1]!;
    }
  }

  /** Two stages in each pass, so that every value is read and written half as often; an odd stage goes first. */
  private transform(): void {
    const isOdd = Math.log2(this.half) % 2 === 1;
    if (isOdd) this.addNeighbours();
    else this.addFours();
    for (let span = isOdd ? 2 : 4; span < this.half; span *= 4) this.combineFours(span);
  }

  private addNeighbours(): void {
    const { real, imag, half } = this;
    for (let i = 0; i < half; i += 2) {
      const re = real[i + 1]!;
      const im = imag[i + 1]!;
      real[i + 1] = real[i]! - re;
      imag[i + 1] = imag[i]! - im;
      real[i] = real[i]! + re;
      imag[i] = imag[i]! + im;
    }
  }

  /** The same as `combineFours(1)`, whose factors are all 1. */
  private addFours(): void {
    const { real, imag, half } = this;
    for (let i = 0; i < half; i += 4) {
      const evenRe = real[i]! + real[i + 1]!;
      const evenIm = imag[i]! + imag[i + 1]!;
      const oddRe = real[i]! - real[i + 1]!;
      const oddIm = imag[i]! - imag[i + 1]!;
      const sumRe = real[i + 2]! + real[i + 3]!;
      const sumIm = imag[i + 2]! + imag[i + 3]!;
      const differenceRe = real[i + 2]! - real[i + 3]!;
      const differenceIm = imag[i + 2]! - imag[i + 3]!;
      real[i] = evenRe + sumRe;
      imag[i] = evenIm + sumIm;
      real[i + 1] = oddRe + differenceIm;
      imag[i + 1] = oddIm - differenceRe;
      real[i + 2] = evenRe - sumRe;
      imag[i + 2] = evenIm - sumIm;
      real[i + 3] = oddRe - differenceIm;
      imag[i + 3] = oddIm + differenceRe;
    }
  }

  /** Transforms of `span` become those of four times as much. */
  private combineFours(span: number): void {
    const { real, imag, cos, sin, half, size } = this;
    const stride = size / (4 * span);
    // A whole block before the next one: it stays in the cache.
    for (let block = 0; block < half; block += 4 * span) {
      for (let k = 0; k < span; k++) {
        const i0 = block + k;
        const c = cos[k * stride]!;
        const s = sin[k * stride]!;
        const c2 = cos[2 * k * stride]!;
        const s2 = sin[2 * k * stride]!;
        const i1 = i0 + span;
        const i2 = i1 + span;
        const i3 = i2 + span;
        const re1 = real[i1]! * c2 - imag[i1]! * s2;
        const im1 = real[i1]! * s2 + imag[i1]! * c2;
        const re3 = real[i3]! * c2 - imag[i3]! * s2;
        const im3 = real[i3]! * s2 + imag[i3]! * c2;
        const sumRe = real[i2]! + re3;
        const sumIm = imag[i2]! + im3;
        const differenceRe = real[i2]! - re3;
        const differenceIm = imag[i2]! - im3;
        const lowRe = sumRe * c - sumIm * s;
        const lowIm = sumRe * s + sumIm * c;
        // A quarter of a turn further.
        const highRe = differenceRe * s + differenceIm * c;
        const highIm = differenceIm * s - differenceRe * c;
        const re0 = real[i0]!;
        const im0 = imag[i0]!;
        real[i0] = re0 + re1 + lowRe;
        imag[i0] = im0 + im1 + lowIm;
        real[i1] = re0 - re1 + highRe;
        imag[i1] = im0 - im1 + highIm;
        real[i2] = re0 + re1 - lowRe;
        imag[i2] = im0 + im1 - lowIm;
        real[i3] = re0 - re1 - highRe;
        imag[i3] = im0 - im1 - highIm;
      }
    }
  }

  private untangle(power: Float32Array, at: number): void {
    const { real, imag, cos, sin, half } = this;
    power[at] = (real[0]! + imag[0]!) ** 2;
    power[at + half] = (real[0]! - imag[0]!) ** 2;
    for (let k = 1; k < half; k++) {
      const m = half - k;
      const evenRe = (real[k]! + real[m]!) / 2;
      const evenIm = (imag[k]! - imag[m]!) / 2;
      const oddRe = (imag[k]! + imag[m]!) / 2;
      const oddIm = (real[m]! - real[k]!) / 2;
      const re = evenRe + oddRe * cos[k]! - oddIm * sin[k]!;
      const im = evenIm + oddRe * sin[k]! + oddIm * cos[k]!;
      power[at + k] = re * re + im * im;
    }
  }
}

function hannWindow(size: number): Float64Array {
  return Float64Array.from(
    { length: size },
    (_, n) => (1 - Math.cos((2 * Math.PI * (n + 0.5)) / size)) / size,
  );
}

function bitReversal(size: number): Uint32Array {
  const bits = Math.log2(size);
  return Uint32Array.from({ length: size }, (_, n) => {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit++) reversed |= ((n >> bit) & 1) << (bits - 1 - bit);
    return reversed;
  });
}
