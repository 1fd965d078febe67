/** How good the filter is. */
interface Quality {
  /** Half-width of the kernel in zero crossings of the slower rate; more is sharper and slower. */
  crossings: number;
  /** Shape of the Kaiser window; more is a deeper stopband and a wider transition. */
  beta: number;
}

/** For sound that people hear: flat to 88 % of the band, stopband -90 dB. */
const FINE: Quality = { crossings: 48, beta: 9 };
/** For measurements: flat to 75 % of the band, stopband -60 dB, a sixth of the work. */
export const COARSE: Quality = { crossings: 11, beta: 6 };
/** For pitch and hum, far below the new band's end: stopband -45 dB. */
export const ROUGH: Quality = { crossings: 5, beta: 4 };
const MAX_PHASES = 1024;

interface Kernel {
  /** `phases` filters of `width` coefficients, one after the other. */
  taps: Float32Array;
  width: number;
}

interface Ratio {
  up: number;
  down: number;
}

const kernels = new Map<string, Kernel>();

/**
 * Band-limited change of sample rate: windowed-sinc polyphase filter, linear phase, no delay.
 *
 * @param from input rate in Hz
 * @param to output rate in Hz
 * @returns `round(samples.length * to / from)` samples; the same array when the rates are equal
 */
export function resample(samples: Float32Array, from: number, to: number, quality = FINE): Float32Array {
  if (from === to) return samples;
  const ratio = approximateRatio(to / from);
  const kernel = kernelFor(ratio, quality);
  const output = new Float32Array(Math.round((samples.length * to) / from));
  convolve(samples, output, ratio, kernel);
  return output;
}

/**
 * Outputs that are `up` apart have the same taps, and their inputs are `down` apart. So four of them are computed together, in
 * blocks of four times `up`, except where the filter reaches over an end of the input.
 */
function convolve(input: Float32Array, output: Float32Array, { up, down }: Ratio, kernel: Kernel): void {
  const fours = up === 1 ? fourNeighbours : fourProducts;
  const { width } = kernel;
  const whole = Math.trunc(down / up);
  const rest = down % up;
  // Integers that only ever grow by additions: the compiler keeps them out of floating point.
  let start = 1 - width / 2;
  let phase = 0;
  let n = 0;
  while (n < output.length) {
    const isBlock = start >= 0 && start + 4 * down + width <= input.length && n + 4 * up <= output.length;
    const end = isBlock ? n + up : n + 1;
    for (; n < end; n++) {
      if (isBlock) fours(kernel, phase, input, { start, step: down }, output, { n, step: up });
      else output[n] = clippedProduct(kernel, phase, input, start);
      start += whole;
      phase += rest;
      if (phase >= up) {
        phase -= up;
        start++;
      }
    }
    if (!isBlock) continue;
    n += 3 * up;
    start += 3 * down;
  }
}

/** Of the taps that have an input. */
function clippedProduct({ taps, width }: Kernel, phase: number, input: Float32Array, start: number): number {
  const first = Math.max(0, -start);
  const last = Math.min(width, input.length - start);
  return dotProduct(taps, phase * width + first, input, start + first, last - first);
}

/** Two sums side by side, because one sum would wait for itself. */
function dotProduct(taps: Float32Array, tap: number, input: Float32Array, at: number, count: number): number {
  const pairs = count - 1;
  let even = 0;
  let odd = 0;
  let k = 0;
  for (; k < pairs; k += 2) {
    even += taps[tap + k]! * input[at + k]!;
    odd += taps[tap + k + 1]! * input[at + k + 1]!;
  }
  return k < count ? even + odd + taps[tap + k]! * input[at + k]! : even + odd;
}

/** Four outputs with the same taps, each the sum of {@link dotProduct}: a tap is read once for all of them. */
function fourProducts(
  { taps, width }: Kernel,
  phase: number,
  input: Float32Array,
  from: { start: number; step: number },
  output: Float32Array,
  to: { n: number; step: number },
): void {
  // One by one: to take them from an array costs more than the sums.
  let even0 = 0;
  let odd0 = 0;
  let even1 = 0;
  let odd1 = 0;
  let even2 = 0;
  let odd2 = 0;
  let even3 = 0;
  let odd3 = 0;
  const tap = phase * width;
  const at0 = from.start;
  const at1 = at0 + from.step;
  const at2 = at1 + from.step;
  const at3 = at2 + from.step;
  for (let k = 0; k < width; k += 2) {
    const even = taps[tap + k]!;
    const odd = taps[tap + k + 1]!;
    even0 += even * input[at0 + k]!;
    odd0 += odd * input[at0 + k + 1]!;
    even1 += even * input[at1 + k]!;
    odd1 += odd * input[at1 + k + 1]!;
    even2 += even * input[at2 + k]!;
    odd2 += odd * input[at2 + k + 1]!;
    even3 += even * input[at3 + k]!;
    odd3 += odd * input[at3 + k + 1]!;
  }
  output[to.n] = even0 + odd0;
  output[to.n + to.step] = even1 + odd1;
  output[to.n + 2 * to.step] = even2 + odd2;
  output[to.n + 3 * to.step] = even3 + odd3;
}

/** The same where all outputs have the same taps: an input is read once for all of them, too. */
function fourNeighbours(
  { taps, width }: Kernel,
  _: number,
  input: Float32Array,
  { start, step }: { start: number; step: number },
  output: Float32Array,
  { n }: { n: number },
): void {
  let sum0 = 0;
  let sum1 = 0;
  let sum2 = 0;
  let sum3 = 0;
  for (let part = 0; part < step; part++) {
    let at = start + part;
    let sample0 = input[at]!;
    let sample1 = input[(at += step)]!;
    let sample2 = input[(at += step)]!;
    for (let k = part; k < width; k += step) {
      const tap = taps[k]!;
      const sample3 = input[(at += step)]!;
      sum0 += tap * sample0;
      sum1 += tap * sample1;
      sum2 += tap * sample2;
      sum3 += tap * sample3;
      sample0 = sample1;
      sample1 = sample2;
      sample2 = sample3;
    }
  }
  output[n] = sum0;
  output[n + 1] = sum1;
  output[n + 2] = sum2;
  output[n + 3] = sum3;
}

function kernelFor(ratio: Ratio, quality: Quality): Kernel {
  const key = `${ratio.up}/${ratio.down}/${quality.crossings}`;
  const known = kernels.get(key);
  if (known) return known;
  const created = designKernel(ratio, quality);
  if (kernels.size >= 32) kernels.clear();
  kernels.set(key, created);
  return created;
}

function designKernel({ up, down }: Ratio, { crossings, beta }: Quality): Kernel {
  const slowdown = Math.min(1, up / down);
  // Kaiser's formulas: window shape -> stopband -> width of the transition, here half of it, re the slower Nyquist.
  const halfTransition = (beta / 0.1102 + 0.7) / (28.72 * crossings);
  // It ends a little above the new Nyquist frequency, so that more of the audible band stays flat.
  const cutoff = slowdown * (1 - 0.56 * halfTransition);
  const half = Math.ceil(crossings / slowdown);
  const width = half * 2;
  const taps = new Float32Array(up * width);
  for (let phase = 0; phase < up; phase++) {
    fillPhase(taps.subarray(phase * width, (phase + 1) * width), phase / up, { half, cutoff, beta });
  }
  return { taps, width };
}

function fillPhase(
  row: Float32Array,
  fraction: number,
  { half, cutoff, beta }: { half: number; cutoff: number; beta: number },
): void {
  let sum = 0;
  for (let k = 0; k < row.length; k++) {
    const distance = k - (half - 1) - fraction;
    const tap = sinc(distance * cutoff) * kaiser(distance / half, beta);
    row[k] = tap;
    sum += tap;
  }
  for (let k = 0; k < row.length; k++) row[k] = row[k]! / sum;
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function kaiser(x: number, beta: number): number {
  return Math.abs(x) >= 1 ? 0 : besselI0(beta * Math.sqrt(1 - x * x)) / besselI0(beta);
}

function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** The nearest fraction with a small enough number of phases (continued fraction; off by a millionth at most). */
function approximateRatio(value: number): Ratio {
  let [up, down, lastUp, lastDown] = [Math.floor(value), 1, 1, 0];
  let rest = value - up;
  while (rest > 1e-9) {
    const inverse = 1 / rest;
    const digit = Math.floor(inverse);
    const [nextUp, nextDown] = [digit * up + lastUp, digit * down + lastDown];
    if (nextUp > MAX_PHASES || nextDown > 1e5) break;
    [lastUp, lastDown, up, down] = [up, down, nextUp, nextDown];
    rest = inverse - digit;
  }
  return { up: Math.max(1, up), down };
}
