import { ApiProcess } from '../support/api-process';
import { CREDITS, storm, type StormOptions } from '../support/ledger-storm';
import type { Stack } from '../support/stack';

/** Kills one of two processes that charge, and expects that none is charged over, lost or twice. */
export async function killDuringStorm(stack: Stack, killAfter: number, options: StormOptions): Promise<void> {
  const { credits = CREDITS } = options;
  const processes = await Promise.all([ApiProcess.start(stack.config), ApiProcess.start(stack.config)]);
  try {
    const { acknowledged, unanswered, inLedger, afterRetries, used, reconciliation } = await storm(
      stack,
      processes,
      killAfter,
      options,
    );
    const silent = [...inLedger].filter((id) => unanswered.includes(id)).length;
    process.stdout.write(
      `killed after ${killAfter} responses: ${acknowledged.length} acknowledged, ${inLedger.size} in the ledger ` +
        `(${silent} of them without a response), ${unanswered.length} without a response, ${afterRetries.size} after sending those again\n`,
    );
    expect(acknowledged.filter((id) => !inLedger.has(id))).toEqual([]);
    expect(inLedger.size).toBeLessThanOrEqual(credits);
    expect([afterRetries.size, used, reconciliation.breaches]).toEqual([credits, credits, []]);
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
  }
}
