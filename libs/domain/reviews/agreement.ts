import { RECORDING_GRADES, type RecordingGrade } from './review-state';

/** Two grades of one recording, by two who could not see each other's, or by a person and a ruleset. */
export type GradePair = readonly [RecordingGrade, RecordingGrade];

/** How far two graders agree. */
export interface Agreement {
  pairs: number;
  /** Pairs with the same grade. */
  same: number;
  /** Pairs that are at most one grade apart. */
  withinOne: number;
  /** Weighted kappa; null without pairs, and when all grades are one and the same: then chance alone agrees fully. */
  kappa: number | null;
}

/**
 * Cohen's weighted kappa with quadratic weights: 1 is full agreement, 0 that of chance, less than 0 is worse than chance.
 *
 * `1 - Σ w(i,j) O(i,j) / Σ w(i,j) E(i,j)`, where O is the share of pairs with the grades i and j, E what it would be by
 * chance (share of i by the first × share of j by the second), and w the distance of the grades squared, `(i - j)² / (k - 1)²`
 * for k grades. Source: J. Cohen, "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial
 * credit", Psychological Bulletin 70 (1968), 213-220; quadratic weights as in Fleiss and Cohen (1973).
 *
 * @returns null when the value is not defined: without pairs, or when both give all recordings the same grade
 */
export function weightedKappa(pairs: readonly GradePair[]): number | null {
  const first = countGrades(pairs.map(([grade]) => grade));
  const second = countGrades(pairs.map(([, grade]) => grade));
  // Both sums have the factor n² (k - 1)², which cancels out.
  const observed = pairs.length * sum(pairs.map(([a, b]) => squaredDistance(a, b)));
  const expected = sum(
    RECORDING_GRADES.flatMap((a) =>
      RECORDING_GRADES.map((b) => first.get(a)! * second.get(b)! * squaredDistance(a, b)),
    ),
  );
  return expected === 0 ? null : 1 - observed / expected;
}

/** How far the two graders of these pairs agree. */
export function agreementOf(pairs: readonly GradePair[]): Agreement {
  const distances = pairs.map(([a, b]) => squaredDistance(a, b));
  return {
    pairs: pairs.length,
    same: distances.filter((distance) => distance === 0).length,
    withinOne: distances.filter((distance) => distance <= 1).length,
    kappa: weightedKappa(pairs),
  };
}

function countGrades(grades: readonly RecordingGrade[]): Map<RecordingGrade, number> {
  const counts = new Map(RECORDING_GRADES.map((grade) => [grade, 0]));
  for (const grade of grades) counts.set(grade, counts.get(grade)! + 1);
  return counts;
}

function squaredDistance(a: RecordingGrade, b: RecordingGrade): number {
  return (RECORDING_GRADES.indexOf(a) - RECORDING_GRADES.indexOf(b)) ** 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
