import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { CreditLedger } from './credit-ledger';

/** The ledger through which credits are charged, held and refunded. */
@Module({
  imports: [DatabaseModule],
  providers: [CreditLedger],
  exports: [CreditLedger],
})
export class CreditsModule {}
