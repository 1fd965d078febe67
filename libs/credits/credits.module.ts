import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { CreditBalances } from './credit-balances';
import { CreditBudgets } from './credit-budgets';
import { CreditLedger } from './credit-ledger';
import { InterruptedRequests } from './interrupted-requests';

/** The ledger through which credits are charged, held and refunded, and the balances with their limits and budgets. */
@Module({
  imports: [DatabaseModule],
  providers: [CreditBalances, CreditBudgets, CreditLedger, InterruptedRequests],
  exports: [CreditBalances, CreditBudgets, CreditLedger, InterruptedRequests],
})
export class CreditsModule {}
