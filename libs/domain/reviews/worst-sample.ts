import { RECORDING_GRADES, type RecordingGrade } from './review-state';

/** What is compared of the verdicts on the samples of a voice. */
interface Graded {
  grade: RecordingGrade;
  /** Null when nothing could be measured. */
  score: number | null;
}

/** The verdict that decides for a voice: the worst grade, among equal ones the lowest score, and then the first. */
export function worstSample<T extends Graded>(samples: readonly T[]): T {
  return samples.reduce((worst, each) => (isWorse(each, worst) ? each : worst));
}

function isWorse(a: Graded, b: Graded): boolean {
  const steps = RECORDING_GRADES.indexOf(a.grade) - RECORDING_GRADES.indexOf(b.grade);
  return steps === 0 ? (a.score ?? 0) < (b.score ?? 0) : steps > 0;
}
