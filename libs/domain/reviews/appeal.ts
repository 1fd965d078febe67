/** How an appeal against a verdict ends: the grade stays, or becomes another one. */
export type AppealOutcome = 'grade_kept' | 'grade_changed';

/** How often the verdicts of one ruleset were appealed, and how the appeals ended. */
export interface AppealCounts {
  open: number;
  kept: number;
  changed: number;
}

/** A ruleset whose verdicts have had no appeal. */
export const NO_APPEALS: AppealCounts = { open: 0, kept: 0, changed: 0 };
