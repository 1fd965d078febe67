import type { StormPlan, StormReport } from './storm';

/** A storm in words: what struck, what it cost, how long until everything from before was reviewed. */
export function describeStorm(title: string, { seed, stormMs }: StormPlan, report: StormReport): string {
  const { faults, acknowledged, answers, missing, unreviewed, repeated, drainMs } = report;
  const lines = [...new Set(faults.map(({ name }) => name))].sort().map((name) => {
    const recoveries = faults
      .filter((fault) => fault.name === name)
      .map(({ atMs }) => recoveryMs(report, atMs));
    const slowest = Math.max(...recoveries);
    return `  ${name.padEnd(42)} ${`${recoveries.length}`.padStart(3)} x, reviewed again within ${secs(median(recoveries))} (slowest ${secs(slowest)})`;
  });
  return [
    `${title}: ${secs(stormMs)}, seed ${seed}, ${faults.length} faults, responses ${JSON.stringify(answers)}`,
    ...lines,
    `  voices acknowledged ${acknowledged}, missing ${missing.length}, never reviewed ${unreviewed.length}, reviewed more than once ${repeated.length}; nothing left ${secs(drainMs)} after the storm`,
    '',
  ].join('\n');
}

/** From the end of a fault until the last voice from before it was reviewed: an upper bound, for other faults follow. */
export function recoveryMs({ outcomes }: StormReport, atMs: number): number {
  const reviewed = outcomes
    .filter(({ createdAt, reviewedAt }) => reviewedAt && createdAt.getTime() <= atMs)
    .map(({ reviewedAt }) => reviewedAt!.getTime());
  return Math.max(0, Math.max(...reviewed, 0) - atMs);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function secs(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
