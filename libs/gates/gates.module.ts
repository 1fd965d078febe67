import { CreditsModule } from '@app/credits/credits.module';
import { DatabaseModule } from '@app/database/database.module';
import { LimitsModule } from '@app/limits/limits.module';
import { Module } from '@nestjs/common';
import { GateStores } from './gate-stores';

/** What the gates of a request look up and count. */
@Module({
  imports: [CreditsModule, DatabaseModule, LimitsModule],
  providers: [GateStores],
  exports: [GateStores],
})
export class GatesModule {}
