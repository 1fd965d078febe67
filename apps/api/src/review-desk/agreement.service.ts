import { ListeningRepository, type CountedPair } from '@app/database/reviews/listening.repository';
import { agreementOf, type Agreement, type GradePair } from '@app/domain/reviews/agreement';
import type { CalibrationSet } from '@app/domain/reviews/calibration-set';
import { Injectable } from '@nestjs/common';

/** How far people agree with each other, and with the rules: when they saw the grade of the rules, and when they did not. */
export type Agreements = Record<CountedPair['kind'], Agreement>;

export interface AgreementReport extends Agreements {
  /** By the week of the later grade, oldest first. */
  weeks: (Agreements & { week: string })[];
  /** By the reason codes of the rules, most pairs first. */
  reasons: (Agreements & { code: string })[];
  rulesets: (Agreements & { ruleset: string })[];
}

/** How far those who grade recordings agree. */
@Injectable()
export class AgreementService {
  constructor(private readonly listenings: ListeningRepository) {}

  async report(days: number): Promise<AgreementReport> {
    const counted = await this.listenings.countPairs(days);
    const weeks = groupBy(counted, ({ week }) => [week]);
    const reasons = groupBy(counted, ({ reasonCodes }) => reasonCodes);
    const rulesets = groupBy(counted, ({ ruleset }) => (ruleset === null ? [] : [ruleset]));
    const byPairs = (a: Agreements, b: Agreements) => pairsOf(b) - pairsOf(a);
    return {
      ...agreementsOf(counted),
      weeks: [...weeks].map(([week, rows]) => ({ week, ...agreementsOf(rows) })),
      reasons: [...reasons].map(([code, rows]) => ({ code, ...agreementsOf(rows) })).sort(byPairs),
      rulesets: [...rulesets].map(([ruleset, rows]) => ({ ruleset, ...agreementsOf(rows) })).sort(byPairs),
    };
  }

  /** What `greenroom review --compare` reads. */
  async listDisagreements(): Promise<CalibrationSet> {
    return this.listenings.listDisagreements();
  }
}

function agreementsOf(rows: readonly CountedPair[]): Agreements {
  const of = (requested: CountedPair['kind']) =>
    agreementOf(
      rows.filter(({ kind }) => kind === requested).flatMap(({ pair, count }) => repeat(pair, count)),
    );
  return { people: of('people'), shown: of('shown'), blind: of('blind') };
}

function groupBy(
  rows: readonly CountedPair[],
  keysOf: (row: CountedPair) => readonly string[],
): Map<string, CountedPair[]> {
  const groups = new Map<string, CountedPair[]>();
  for (const row of rows) for (const key of keysOf(row)) groups.set(key, [...(groups.get(key) ?? []), row]);
  return groups;
}

function repeat(pair: GradePair, count: number): GradePair[] {
  return Array.from({ length: count }, () => pair);
}

function pairsOf({ people, shown, blind }: Agreements): number {
  return people.pairs + shown.pairs + blind.pairs;
}
