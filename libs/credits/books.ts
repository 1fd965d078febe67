import { CreditBooksRepository, type BooksBreach } from '@app/database/credits/credit-books.repository';
import type { DataSource } from 'typeorm';

export interface BooksReport {
  /** Accounts and keys times their billing periods. */
  checked: number;
  /** Empty when everything balances. */
  breaches: BooksBreach[];
}

const ACCOUNTS_AT_ONCE = 100;
/** Who has more than these has one trouble, not thousands. */
const MAX_BREACHES = 1_000;

/**
 * Proves the books: for every account, key and billing period, the lines of the ledger add up to what was used, what was
 * granted and what is held, and no charge went beyond the limit of its moment. Reads only; charges may continue meanwhile,
 * because each account is read at one moment.
 *
 * @throws the driver's error
 */
export async function checkBooks(dataSource: DataSource): Promise<BooksReport> {
  const books = new CreditBooksRepository(dataSource);
  const report: BooksReport = { checked: 0, breaches: [] };
  for (let afterId: string | null = null; report.breaches.length < MAX_BREACHES;) {
    const accountIds: string[] = await books.listAccounts(afterId, ACCOUNTS_AT_ONCE);
    if (accountIds.length === 0) break;
    const { checked, breaches } = await books.check(accountIds);
    report.checked += checked;
    report.breaches.push(...breaches);
    afterId = accountIds.at(-1)!;
  }
  return report;
}
