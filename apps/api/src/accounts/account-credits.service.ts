import { accountNotFound } from '@app/database/accounts/account.repository';
import { AppConfig } from '@app/config/app-config';
import type { ReconciliationReport } from '@app/credits/reconciliation';
import { isStatementTimeout } from '@app/database/common/statement-timeout';
import type { CreditBalanceHistory } from '@app/database/credits/credit-balance-history.entity';
import type { CreditLedgerLine } from '@app/database/credits/credit-ledger-line.entity';
import { CreditReconciliationRepository } from '@app/database/credits/credit-reconciliation.repository';
import {
  CreditLedgerRepository,
  isLineId,
  type ArchivedLines,
  type CurrentCredits,
  type KeyCredits,
  type LedgerFilter,
  type PrepaidGrant,
} from '@app/database/credits/credit-ledger.repository';
import { DomainError } from '@app/domain/errors';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';

const KEYS_SHOWN = 100;
const PERIODS_SHOWN = 12;
const PREPAID_SHOWN = 200;

/** The credits of an account now, with the proof that they are right. */
export interface AccountCredits {
  /** A grant of more credits than this waits for a second person; null for never. */
  approvalAbove: number | null;
  credits: CurrentCredits;
  keys: KeyCredits[];
  periods: CreditBalanceHistory[];
  prepaid: PrepaidGrant[];
  archived: ArchivedLines | null;
  /** Null when the ledger of the account is too long to be added up within the time of a request. */
  reconciliation: ReconciliationReport | null;
}

@Injectable()
export class AccountCreditsService {
  constructor(
    private readonly ledger: CreditLedgerRepository,
    private readonly reconciliation: CreditReconciliationRepository,
    private readonly config: AppConfig,
  ) {}

  async get(accountId: string): Promise<AccountCredits> {
    const credits = await this.requireAccount(accountId);
    const [keys, periods, prepaid, archived, reconciliation] = await Promise.all([
      this.ledger.listKeys(accountId, KEYS_SHOWN),
      this.ledger.listPeriods(accountId, PERIODS_SHOWN),
      this.ledger.listPrepaid(accountId, PREPAID_SHOWN),
      this.ledger.findArchived(accountId),
      this.reconcile(accountId),
    ]);
    const approvalAbove = this.config.approvals.creditsAbove;
    return { approvalAbove, credits, keys, periods, prepaid, archived, reconciliation };
  }

  /** The adjustments of an account, newest first. */
  async listLedger(filter: LedgerFilter, query: PageQuery): Promise<Page<CreditLedgerLine>> {
    await this.requireAccount(filter.accountId);
    const list: ListIdentity = { name: 'ledger', filter: { ...filter } };
    const { limit, after } = readPage(query, list, 1);
    const [rows, total] = await Promise.all([
      this.ledger.list(filter, after && toId(after[0]), limit + 1),
      this.ledger.count(filter),
    ]);
    return toPage(rows, limit, list, total, (line) => [line.id]);
  }

  private async reconcile(accountId: string): Promise<ReconciliationReport | null> {
    try {
      return await this.reconciliation.check([accountId]);
    } catch (error) {
      if (isStatementTimeout(error)) return null;
      throw error;
    }
  }

  private async requireAccount(accountId: string): Promise<CurrentCredits> {
    const credits = isUuid(accountId) ? await this.ledger.findCurrent(accountId) : null;
    if (credits?.subject !== 'account') throw accountNotFound(accountId);
    return credits;
  }
}

/** The id of a line from a cursor, which is text that any client can write. */
function toId(part: unknown): string {
  if (isLineId(part)) return part;
  throw new DomainError('invalid_cursor', { reason: 'it is damaged' }, { param: 'cursor' });
}
