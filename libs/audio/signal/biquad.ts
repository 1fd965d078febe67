/** A second-order filter, y = b0 x + b1 x1 + b2 x2 - a1 y1 - a2 y2. */
export interface Biquad {
  b0: number;
  b1: number;
  b2: number;
  a1: number;
  a2: number;
}

/** Butterworth high-pass (12 dB per octave), bilinear transform. */
export function highPass(cutoffHz: number, sampleRate: number, q = Math.SQRT1_2): Biquad {
  const w = (2 * Math.PI * cutoffHz) / sampleRate;
  const alpha = Math.sin(w) / (2 * q);
  const cos = Math.cos(w);
  const a0 = 1 + alpha;
  const b0 = (1 + cos) / 2 / a0;
  return { b0, b1: -2 * b0, b2: b0, a1: (-2 * cos) / a0, a2: (1 - alpha) / a0 };
}

/** Filters into `output`, which may be the input itself. */
export function applyBiquad(
  input: Float32Array,
  filter: Biquad,
  output: Float32Array = new Float32Array(input.length),
): Float32Array {
  const { b0, b1, b2, a1, a2 } = filter;
  let x1 = 0;
  let x2 = 0;
  let y1 = 0;
  let y2 = 0;
  for (let n = 0; n < input.length; n++) {
    const x = input[n]!;
    const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2;
    x2 = x1;
    x1 = x;
    y2 = y1;
    y1 = y;
    output[n] = y;
  }
  return output;
}
