import * as fc from 'fast-check';
import { alawToLinear, encodeAlaw, encodeMulaw, mulawToLinear } from './g711';

const laws = [
  { name: 'mu-law', encode: encodeMulaw, decode: mulawToLinear, zero: 0xff, full: 0x80, floor: 2 / 8192 },
  { name: 'A-law', encode: encodeAlaw, decode: alawToLinear, zero: 0xd5, full: 0xaa, floor: 1 / 4096 },
];

describe.each(laws)('G.711 $name', ({ encode, decode, zero, full, floor }) => {
  it('has the standard codes for silence and for positive full scale', () => {
    expect([...encode(Float32Array.of(0, 1))]).toEqual([zero, full]);
  });

  it('gives every byte back after decoding and encoding it', () => {
    const linear = Float32Array.from({ length: 256 }, (_, code) => decode(code));
    const again = encode(linear);
    const changed = [...again].filter((code, at) => decode(code) !== linear[at]);
    expect(changed).toEqual([]);
  });

  it('stays within half a quantisation step: about 3 % of the sample, or the smallest step', () => {
    fc.assert(
      fc.property(fc.float({ min: Math.fround(-0.99), max: Math.fround(0.99), noNaN: true }), (x) => {
        const back = decode(encode(Float32Array.of(x))[0]!);
        expect(Math.abs(back - x)).toBeLessThanOrEqual(Math.max(floor, Math.abs(x) * 0.035));
      }),
    );
  });
});
