import type { RecordingMeasurements } from './recording-measurements';
import type { RulesetId } from './recording-rulesets';
import { decideRecording } from './recording-verdict';
import { RECORDING_GRADES, type RecordingGrade } from './review-state';

interface GradeChange {
  from: RecordingGrade;
  to: RecordingGrade;
  count: number;
}

/** What other rules would change, gathered recording by recording from stored measurements. */
export class RulesetComparison {
  compared = 0;
  better = 0;
  worse = 0;
  private readonly counts = new Map<string, GradeChange>();

  constructor(
    private readonly from: RulesetId,
    private readonly to: RulesetId,
  ) {}

  /** Grades a recording by both rules; null when its grade stays. */
  add(m: RecordingMeasurements): { from: RecordingGrade; to: RecordingGrade } | null {
    const from = decideRecording(m, this.from).grade;
    const to = decideRecording(m, this.to).grade;
    this.compared += 1;
    if (from === to) return null;
    if (rank(to) < rank(from)) this.better += 1;
    else this.worse += 1;
    const key = `${from} ${to}`;
    const known = this.counts.get(key) ?? { from, to, count: 0 };
    this.counts.set(key, { ...known, count: known.count + 1 });
    return { from, to };
  }

  get changed(): number {
    return this.better + this.worse;
  }

  /** From grade to grade, most frequent first. */
  get table(): GradeChange[] {
    return [...this.counts.values()].sort(
      (a, b) => b.count - a.count || rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to),
    );
  }
}

/** 0 for the best grade. */
function rank(grade: RecordingGrade): number {
  return RECORDING_GRADES.indexOf(grade);
}
