import {
  CreditReconciliationRepository,
  type ReconciliationBreach,
} from '@app/database/credits/credit-reconciliation.repository';
import type { DataSource } from 'typeorm';

export interface ReconciliationReport {
  /** Accounts and keys times their billing periods. */
  checked: number;
  /** Empty when everything balances. */
  breaches: ReconciliationBreach[];
}

const ACCOUNTS_AT_ONCE = 100;
/** Who has more than these has one trouble, not thousands. */
const MAX_BREACHES = 1_000;

/**
 * Reconciles the credits: for every account, key and billing period, the lines of the ledger add up to what was used, what was
 * granted and what is held, and no charge went beyond the limit of its moment. Reads only; charges may continue meanwhile,
 * because each account is read at one moment.
 *
 * @throws the driver's error
 */
export async function reconcileCredits(dataSource: DataSource): Promise<ReconciliationReport> {
  const repository = new CreditReconciliationRepository(dataSource);
  const report: ReconciliationReport = { checked: 0, breaches: [] };
  for (let afterId: string | null = null; report.breaches.length < MAX_BREACHES;) {
    const accountIds: string[] = await repository.listAccounts(afterId, ACCOUNTS_AT_ONCE);
    if (accountIds.length === 0) break;
    const { checked, breaches } = await repository.check(accountIds);
    report.checked += checked;
    report.breaches.push(...breaches);
    afterId = accountIds.at(-1)!;
  }
  return report;
}
