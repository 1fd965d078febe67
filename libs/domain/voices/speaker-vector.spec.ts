import fc from 'fast-check';
import { meanVector, mostDifferentBits, SIGNATURE_BITS, signatureOf, toUnitVector } from './speaker-vector';

const SIZE = 192;
const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: SIZE, maxLength: SIZE });
const direction = numbers.filter((input) => Math.hypot(...input) > 0.1).map(toUnitVector);
const cosineOf = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, n) => sum + x * b[n]!, 0);
const differing = (a: string, b: string) => [...a].filter((bit, n) => bit !== b[n]).length;

/** A vector that has this cosine with `from`. */
function turned(from: Float32Array, towards: Float32Array, cosine: number): Float32Array {
  const along = cosineOf(from, towards);
  const across = toUnitVector(towards.map((x, n) => x - along * from[n]!));
  return from.map((x, n) => cosine * x + Math.sqrt(1 - cosine * cosine) * across[n]!);
}

describe('a unit vector', () => {
  it('has the length 1 and the direction of what it is made of', () => {
    expect(Array.from(toUnitVector([3, 0, -4]))).toEqual([0.6, 0, -0.8].map(Math.fround));
  });

  it.each([[[0, 0, 0]], [[1, NaN, 0]], [[Infinity, 0, 0]]])('of %j does not exist', (vector) => {
    expect(() => toUnitVector(vector)).toThrow('the vector has no direction');
  });

  it('between several lies in the middle, whatever their order', () => {
    const [a, b] = [toUnitVector([1, 0]), toUnitVector([0, 1])];
    expect(Array.from(meanVector([a, b]))).toEqual([Math.fround(Math.SQRT1_2), Math.fround(Math.SQRT1_2)]);
    expect(() => meanVector([a, toUnitVector([-1, 0])])).toThrow('the vector has no direction');
  });
});

describe('a signature', () => {
  it('is the same for the same direction, and the other one for the opposite', () => {
    fc.assert(
      fc.property(direction, (vector) => {
        const bits = signatureOf(vector);
        expect(bits).toMatch(/^[01]{256}$/);
        expect(signatureOf(vector.map((x) => x / 7))).toBe(bits);
        expect(differing(bits, signatureOf(vector.map((x) => -x)))).toBe(SIGNATURE_BITS);
      }),
      { numRuns: 20 },
    );
  });

  it('leaves out none that is clearly alike, and most that are not', () => {
    const bound = mostDifferentBits(0.6);
    let unrelated = 0;
    let tries = 0;
    fc.assert(
      fc.property(direction, direction, (from, other) => {
        fc.pre(Math.abs(cosineOf(from, other)) < 0.3);
        const bits = signatureOf(from);
        expect(differing(bits, signatureOf(turned(from, other, 0.75)))).toBeLessThanOrEqual(bound);
        tries += 1;
        if (differing(bits, signatureOf(turned(from, other, 0))) <= bound) unrelated += 1;
      }),
      { numRuns: 100 },
    );
    expect(unrelated / tries).toBeLessThan(0.02);
  });

  it.each([
    [1, 0],
    [0.6, 98],
    [-1, SIGNATURE_BITS],
  ])('of a cosine of %d or more differs in at most %d bits', (cosine, most) => {
    expect(mostDifferentBits(cosine)).toBe(most);
  });
});
