import { queryAs } from './query-as';

/** Long enough ago that every billing period which began then has ended. */
const AGO = '100 days';

/** Moves what was spent so far, and the billing periods it was spent in, into the past. */
export async function movePeriodsBack(ownerUrl: string): Promise<void> {
  for (const [table, columns] of [
    ['ledger_line', ['period_start', 'created_at']],
    ['credit_balance', ['period_anchor', 'period_start', 'period_end']],
  ] as const)
    await queryAs(
      ownerUrl,
      `UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} - interval '${AGO}'`).join()}`,
    );
}
