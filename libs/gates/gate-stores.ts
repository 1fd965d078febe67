import { CreditLedger } from '@app/credits/credit-ledger';
import { BudgetRepository } from '@app/database/credits/budget.repository';
import { CreditLedgerRepository } from '@app/database/credits/credit-ledger.repository';
import { ManagementCredentialRepository } from '@app/database/staff/management-credential.repository';
import { GenerationSlots } from '@app/limits/generation-slots';
import { RequestLimiter } from '@app/limits/request-limiter';
import { Injectable } from '@nestjs/common';

/** Where gates look up and count what does not stand in the request or its key. */
@Injectable()
export class GateStores {
  constructor(
    readonly requests: RequestLimiter,
    readonly slots: GenerationSlots,
    readonly ledger: CreditLedger,
    readonly balances: CreditLedgerRepository,
    readonly budgets: BudgetRepository,
    readonly programs: ManagementCredentialRepository,
  ) {}
}
