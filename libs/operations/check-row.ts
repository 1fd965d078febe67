import type { Finding } from '@app/domain/common/backend-check';

/** One check of an installation. */
export interface CheckRow<T> {
  /** What it looks at, as people read it. */
  about: string;
  /** What to set or repair when it is not ok, in a few words; the finding says it with figures. */
  remedy: string;
  /** Checks without which it says nothing of its own: while one of them fails, this one is skipped. */
  needs?: readonly string[];
  /** Whether a process cannot serve while it fails: /readyz is 503 then. */
  serves?: boolean;
  /** How long a process goes by a result, in seconds. */
  freshSecs?: number;
  /** Changes nothing. What it throws is its finding. */
  check: (installation: T) => Promise<Finding>;
}

export type CheckTable<T> = Readonly<Record<string, CheckRow<T>>>;

/** What the checks of a table have found, in its order. */
export type CheckReport = (Finding & { check: string })[];

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const warning = (detail: string): Finding => ({ status: 'warning', detail });
export const failed = (detail: string): Finding => ({ status: 'failed', detail });

/**
 * Makes checks one after the other. One cause is said once: what needs a check that fails is skipped.
 *
 * @param names those to make; what they need is looked at only if it is among them
 * @param run makes one check, unless its result is known already
 */
export async function runChecks<T>(
  table: CheckTable<T>,
  installation: T,
  names = Object.keys(table),
  run: (name: string, row: CheckRow<T>) => Promise<Finding> = (_, row) => row.check(installation),
): Promise<CheckReport> {
  const report: CheckReport = [];
  const causes = new Map<string, string>();
  for (const check of names) {
    const row = table[check]!;
    const cause = (row.needs ?? []).map((name) => causes.get(name)).find((name) => name !== undefined);
    const finding = cause === undefined ? await outcomeOf(() => run(check, row)) : skippedFor(cause);
    if (finding.status === 'failed') causes.set(check, check);
    if (cause !== undefined) causes.set(check, cause);
    report.push({ check, ...finding });
  }
  return report;
}

const skippedFor = (cause: string): Finding => ({
  status: 'skipped',
  detail: `It cannot be said while "${cause}" fails.`,
});

/** A check that cannot run is a failed one; the others continue. That no connection is left is what another check says. */
async function outcomeOf(run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    if (hasNoConnection(error))
      return {
        status: 'skipped',
        detail: 'No connection of the database was left for it: see "connections".',
      };
    return failed(`It could not be examined: ${(error as Error).message}.`);
  }
}

const TOO_MANY_CONNECTIONS = '53300';

function hasNoConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { code?: unknown }).code === TOO_MANY_CONNECTIONS || hasNoConnection(error.cause);
}
