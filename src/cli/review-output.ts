import type { GradedRecording } from '@app/audio/threads/recording-grader';

/** What became of a file: graded, or not and why. */
export interface GradedFile {
  path: string;
  graded: GradedRecording | null;
  problem: string | null;
}

const HEADER = ['GRADE', 'SCORE', 'LISTENERS', 'LENGTH', 'FILE', 'REASON'];
const LISTENERS = HEADER.indexOf('LISTENERS');
/** Anything that moves the cursor or writes in colour; a file can be named so. */
export const CONTROL = /\p{Cc}/gu;

/**
 * A table of the files and their grades, beside them what a P.808 model gave; with `explain` the reasons in sentences under
 * each file.
 */
export function describeTable(files: GradedFile[], { explain }: { explain?: boolean }): string {
  const hasListeners = files.some((file) => listenerScoreOf(file) !== null);
  const rows = [HEADER, ...files.map(toRow)].map((row) => (hasListeners ? row : row.toSpliced(LISTENERS, 1)));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row, index) => {
    const line = row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
    const sentences = explain && index > 0 ? files[index - 1]!.graded?.verdict.explanations : undefined;
    return [line.trimEnd(), ...(sentences ?? []).map((sentence) => `    ${sentence}`)].join('\n');
  });
  return `${[...lines, '', summarise(files)].join('\n')}\n`;
}

function toRow(file: GradedFile): string[] {
  const { path, graded, problem } = file;
  const name = path.replace(CONTROL, '?');
  if (!graded) return ['-', '-', '-', '-', name, problem ?? ''];
  const { grade, score, reasonText, lowConfidence } = graded.verdict;
  const secs = graded.measured?.measurements.durationSecs;
  const reason = problem === null ? reasonText : `${reasonText.split('=')[0]}: ${problem}`;
  const doubt = lowConfidence && problem === null ? ' (low confidence)' : '';
  const length = secs === undefined ? '-' : `${secs.toFixed(1)} s`;
  return [grade, score.toFixed(2), listenerScoreOf(file)?.toFixed(2) ?? '-', length, name, reason + doubt];
}

function listenerScoreOf({ graded }: GradedFile): number | null {
  return graded?.measured?.measurements.listenerScore ?? null;
}

function summarise(files: GradedFile[]): string {
  const failed = files.filter(({ problem }) => problem !== null).length;
  const graded = `${files.length - failed} of ${files.length} graded`;
  return failed === 0 ? `${graded}.` : `${graded}, ${failed} not.`;
}

/** One JSON array, an element for each file. */
export function toJson(files: GradedFile[]): string {
  const items = files.map(({ path, graded, problem }) => {
    const { verdict, measured } = graded ?? {};
    return {
      file: path,
      grade: verdict?.grade ?? null,
      score: verdict?.score ?? null,
      recording_quality_reason: verdict?.reasonText ?? null,
      reasons: verdict?.reasons ?? [],
      explanations: verdict?.explanations ?? [],
      low_confidence: verdict?.lowConfidence ?? null,
      ruleset: verdict?.ruleset ?? null,
      impairments: verdict?.impairments ?? null,
      measurements: measured?.measurements ?? null,
      audio: measured?.audioInfo ?? null,
      second_opinion: graded?.secondOpinion ?? null,
      error: problem,
    };
  });
  return `${JSON.stringify(items, null, 2)}\n`;
}

/** Fewer files finish soon enough without it. */
const WORTH_SHOWING = 5;

/** Progress on one line of a terminal; silent elsewhere. */
export class Progress {
  private count = 0;
  private readonly shown: boolean;

  constructor(
    private readonly total: number,
    private readonly out: NodeJS.WriteStream,
  ) {
    this.shown = out.isTTY && total >= WORTH_SHOWING;
  }

  done(path: string): void {
    this.count += 1;
    if (!this.shown) return;
    const line = `${this.count}/${this.total}  ${path.replace(CONTROL, '?')}`;
    this.out.write(`\r${line.slice(0, (this.out.columns ?? 80) - 1)}\u001b[K`);
  }

  clear(): void {
    if (this.shown) this.out.write('\r\u001b[K');
  }
}
