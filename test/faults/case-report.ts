import type { FaultCase } from './cases';
import type { StormReport } from './storm';
import { recoveryMs } from './storm-report';

const WIDTHS = [3, 13, 69, 9, 6, 5, 5, 5, 7, 10];
const HEAD = ['#', 'subject', 'fault', 'queue', 'seed', 'sent', 'ackd', 'lost', 'double', 'recovery'];

export interface CaseRun {
  faultCase: FaultCase;
  subject: string;
  backend: string;
  seed: number;
}

/** Voices that were acknowledged and are not there, or that are there and were never reviewed. */
export function lost({ missing, unreviewed }: StormReport): number {
  return missing.length + unreviewed.length;
}

/** From the end of the fault until customers got voices again, and those from before were reviewed. */
export function caseRecoveryMs(report: StormReport): number {
  const overAtMs = report.faults.at(-1)!.atMs;
  const answeredAtMs = Math.min(...report.acknowledgedAtMs.filter((atMs) => atMs >= overAtMs));
  const unansweredMs = Number.isFinite(answeredAtMs) ? answeredAtMs - overAtMs : 0;
  return Math.max(unansweredMs, recoveryMs(report, overAtMs));
}

export function tableHead(): string {
  return line(HEAD);
}

export function tableRow(run: CaseRun, report: StormReport): string {
  const { sent, acknowledged, repeated } = report;
  const recovery = `${(caseRecoveryMs(report) / 1_000).toFixed(1)} s`;
  return line([...nameOf(run), sent, acknowledged, lost(report), repeated.length, recovery]);
}

export function impossibleRow(run: CaseRun): string {
  return line([...nameOf(run), `not on this machine: ${run.faultCase.impossible}`]);
}

function nameOf({ faultCase, subject, backend, seed }: CaseRun): (string | number)[] {
  return [faultCase.number, subject, faultCase.what, backend, seed];
}

function line(cells: (string | number)[]): string {
  const padded = cells.map((cell, column) =>
    typeof cell === 'number' ? `${cell}`.padStart(WIDTHS[column]!) : cell.padEnd(WIDTHS[column]!),
  );
  return `${padded.join(' ').trimEnd()}\n`;
}
