// A sandbox such as Jest's makes every look-up of a global slow; the planes have some 50,000 numbers.
const { imul } = Math;

/** Numbers that a model may describe a speaker with: fewer distinguish few speakers, more describe something else. */
export const VECTOR_SIZES = { least: 32, most: 2_048 } as const;
/** Length of a signature, in bits. */
export const SIGNATURE_BITS = 256;
/** Standard deviations of chance that a signature is allowed for: of voices just as alike as the threshold, one in 700 is missed. */
const CHANCE = 3;

/**
 * A vector of length 1 in the same direction: the cosine of two of them is the sum of their products.
 *
 * @throws Error when the vector has no direction
 */
export function toUnitVector(vector: ArrayLike<number>): Float32Array {
  const length = Math.hypot(...Array.from(vector));
  if (!Number.isFinite(length) || length === 0) throw new Error('the vector has no direction');
  return Float32Array.from(vector, (x) => x / length);
}

/** The direction between several vectors of length 1. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  return toUnitVector(vectors[0]!.map((_, n) => vectors.reduce((sum, vector) => sum + vector[n]!, 0)));
}

/**
 * On which sides of 256 fixed planes a vector lies (M. Charikar, STOC 2002): two vectors differ in a share of the bits that
 * is their angle divided by 180 degrees, give or take chance. So a database can leave out most voices at the cost of one
 * exclusive or each.
 *
 * @returns 256 times `0` or `1`
 */
export function signatureOf(vector: Float32Array): string {
  return Array.from({ length: SIGNATURE_BITS }, (_, bit) => {
    let sum = 0;
    for (let n = 0; n < vector.length; n++) sum += isAbove(bit, n) ? vector[n]! : -vector[n]!;
    return sum > 0 ? '1' : '0';
  }).join('');
}

/** The most bits in which the signatures of two vectors differ whose cosine is at least `cosine`, save for rare chance. */
export function mostDifferentBits(cosine: number): number {
  const share = Math.acos(cosine) / Math.PI;
  const deviation = Math.sqrt(SIGNATURE_BITS * share * (1 - share));
  return Math.min(SIGNATURE_BITS, Math.ceil(SIGNATURE_BITS * share + CHANCE * deviation));
}

/** The sign of a number of a plane: fixed, and as good as drawn (a 32-bit mixer). */
function isAbove(bit: number, n: number): boolean {
  let mixed = imul(bit * VECTOR_SIZES.most + n + 1, 0x9e3779b9);
  mixed = imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) & 1) === 1;
}
