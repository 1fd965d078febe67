import * as fc from 'fast-check';
import { alawToLinear, encodeAlaw, encodeMulaw, mulawToLinear } from './g711';

const laws = [
  {
    name: 'mu-law',
    encode: encodeMulaw,
    decode: mulawToLinear,
    zero: 0xff,
    full: 0x80,
    bias: 33 / 8192,
    rounding: 0.5 / 8192,
    smallest: 1 / 8192,
  },
  {
    name: 'A-law',
    encode: encodeAlaw,
    decode: alawToLinear,
    zero: 0xd5,
    full: 0xaa,
    bias: 0,
    rounding: 0,
    smallest: 1 / 4096,
  },
];

describe.each(laws)('G.711 $name', ({ encode, decode, zero, full, bias, rounding, smallest }) => {
  it('has the standard codes for silence and for positive full scale', () => {
    expect([...encode(Float32Array.of(0, 1))]).toEqual([zero, full]);
  });

  it('gives every byte back after decoding and encoding it', () => {
    const linear = Float32Array.from({ length: 256 }, (_, code) => decode(code));
    const again = encode(linear);
    const changed = [...again].filter((code, at) => decode(code) !== linear[at]);
    expect(changed).toEqual([]);
  });

  /** A segment has 16 steps and begins at 16 steps of its own (its bias counted): half a step is at most 1/32. */
  const halfStep = (x: number): number => Math.max(smallest, (Math.abs(x) + bias) / 32) + rounding;

  it('stays within half a quantisation step', () => {
    fc.assert(
      fc.property(fc.float({ min: Math.fround(-0.99), max: Math.fround(0.99), noNaN: true }), (x) => {
        const back = decode(encode(Float32Array.of(x))[0]!);
        expect(Math.abs(back - x)).toBeLessThanOrEqual(halfStep(x));
      }),
      { numRuns: 2000, examples: [[Math.fround(0.00421142578125)]] },
    );
  });
});
