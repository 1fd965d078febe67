import { AdministrationModule } from '@app/administration/administration.module';
import { DatabaseModule } from '@app/database/database.module';
import { Module } from '@nestjs/common';
import { ExposedSecrets } from './exposed-secrets';
import { LeakedKeysService } from './leaked-keys.service';
import { PublicLeakedKeysController } from './public-leaked-keys.controller';
import { ScannerKeys } from './scanner-keys';

/** Reports of leaked secrets by scanners. */
@Module({
  imports: [AdministrationModule, DatabaseModule],
  controllers: [PublicLeakedKeysController],
  providers: [ExposedSecrets, LeakedKeysService, ScannerKeys],
})
export class LeakedKeysModule {}
