import { KeyChanges } from '@app/auth/invalidation/key-changes';
import type { AppConfig } from '@app/config/app-config';
import { ConfigModule } from '@app/config/config.module';
import { CreditBalances } from '@app/credits/credit-balances';
import { DatabaseModule } from '@app/database/database.module';
import { OutboxRepository } from '@app/queue/outbox.repository';
import { WebhookEvents } from '@app/webhooks/webhook-events';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountsService } from '../../libs/administration/accounts/accounts.service';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { ApiKeysService } from '../../libs/administration/keys/api-keys.service';
import { AuditedChanges } from '../../libs/administration/audit/audited-changes';
import { AuditLog } from '../../libs/administration/audit/audit-log';

/** The services that commands use, without the servers around them. */
@Module({})
class CliModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: CliModule,
      imports: [ConfigModule.forRoot(config), DatabaseModule.forRoot('greenroom-cli')],
      providers: [
        AccountsService,
        ApiKeyChangesService,
        ApiKeysService,
        AuditedChanges,
        AuditLog,
        CreditBalances,
        KeyChanges,
        OutboxRepository,
        WebhookEvents,
      ],
    };
  }
}

/** Runs something with the services; the connections are closed afterwards. */
export async function withServices<T>(
  config: AppConfig,
  run: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const services = await NestFactory.createApplicationContext(CliModule.forRoot(config), {
    logger: false,
    abortOnError: false,
  });
  try {
    return await run(services);
  } finally {
    await services.close();
  }
}
