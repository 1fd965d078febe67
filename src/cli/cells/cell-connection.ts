import { ContactSecrets } from '@app/alerts/contact-secrets';
import { KeyChanges } from '@app/auth/invalidation/key-changes';
import type { AppConfig } from '@app/config/app-config';
import { CreditBalances } from '@app/credits/credit-balances';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { AccountMoveRepository } from '@app/database/cells/account-move.repository';
import { createDataSource } from '@app/database/data-source';
import { KeyFindingRepository } from '@app/database/key-safety/key-finding.repository';
import { KeyChangeRepository } from '@app/database/keys/key-change.repository';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { AuditedChanges } from '../../../libs/administration/audit/audited-changes';
import { AuditLog } from '../../../libs/administration/audit/audit-log';
import type { Cell } from '../../../libs/administration/cells/account-mover';

/** Runs something with a connection to a cell, as the role that owns its tables and without limits of time. */
export async function withCell<T>(config: AppConfig, run: (cell: Cell) => Promise<T>): Promise<T> {
  const url = config.requireMigrationDatabaseUrl();
  const dataSource = await createDataSource(url, 'greenroom-cells', { timeLimits: false }).initialize();
  try {
    return await run({
      config,
      dataSource,
      changes: new AuditedChanges(
        dataSource,
        new AuditLog(dataSource, new AuditLogRepository(dataSource), config),
        new KeyChanges(new KeyChangeRepository(dataSource)),
        new KeyFindingRepository(dataSource),
      ),
      moves: new AccountMoveRepository(dataSource),
      balances: CreditBalances.on(dataSource),
      webhooks: new WebhookSecrets(config),
      contacts: new ContactSecrets(config),
    });
  } finally {
    await dataSource.destroy();
  }
}
