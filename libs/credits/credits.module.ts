import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { CreditBalances } from './credit-balances';
import { CreditLedger } from './credit-ledger';

/** The ledger through which credits are charged, held and refunded, and the balances with their limits. */
@Module({
  imports: [DatabaseModule],
  providers: [CreditBalances, CreditLedger],
  exports: [CreditBalances, CreditLedger],
})
export class CreditsModule {}
