import {
  compareWithPeople,
  readCalibrationSet,
  type CalibratedRuleset,
} from '@app/domain/reviews/calibration-set';
import type { RulesetId } from '@app/domain/reviews/recording-rulesets';
import { readFile } from 'node:fs/promises';
import { describeFileError } from './find-recordings';

const HEADER = ['RULESET', 'GRADES', 'SAME', 'WITHIN ONE', 'KAPPA', 'LEFT OUT'];

/** `greenroom review --compare`: grades a calibration set by each ruleset. Nothing is decoded, and no database is needed. */
export async function compareRulesets(
  path: string,
  { json, ruleset }: { json?: boolean; ruleset?: RulesetId },
): Promise<void> {
  try {
    const set = readCalibrationSet(await readText(path));
    const compared = compareWithPeople(set, ruleset && [ruleset]);
    process.stdout.write(json ? `${JSON.stringify(compared, null, 2)}\n` : toTable(compared));
  } catch (error) {
    process.stderr.write(`${path}: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(describeFileError(error), { cause: error });
  }
}

/** A line for each ruleset. */
export function toTable(compared: readonly CalibratedRuleset[]): string {
  const rows = compared.map(({ ruleset, pairs, same, withinOne, kappa, left_out: leftOut }) => [
    ruleset,
    String(pairs),
    shareOf(same, pairs),
    shareOf(withinOne, pairs),
    kappa === null ? '-' : kappa.toFixed(2),
    String(leftOut),
  ]);
  const lines = [HEADER, ...rows];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((row) => row[column]!.length)));
  return lines
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? '-' : `${Math.round((100 * part) / whole)} %`;
}
