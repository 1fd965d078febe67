import { ContactSecrets } from '@app/alerts/contact-secrets';
import { KeyChanges } from '@app/auth/invalidation/key-changes';
import { loadConfig, type AppConfig } from '@app/config/app-config';
import { CreditBalances } from '@app/credits/credit-balances';
import { AuditLogRepository } from '@app/database/audit/audit-log.repository';
import { AccountMoveRepository } from '@app/database/cells/account-move.repository';
import { createDataSource } from '@app/database/data-source';
import { KeyFindingRepository } from '@app/database/key-safety/key-finding.repository';
import { KeyChangeRepository } from '@app/database/keys/key-change.repository';
import { WebhookSecrets } from '@app/webhooks/webhook-secrets';
import { parseEnv } from 'node:util';
import type { DataSource } from 'typeorm';
import { AuditedChanges } from '../../../libs/administration/audit/audited-changes';
import { AuditLog } from '../../../libs/administration/audit/audit-log';
import type { Cell } from '../../../libs/administration/cells/account-mover';
import { LaunchError } from '../../launcher/launch-error';
import { readBounded } from '../read-bounded';

const MAX_FILE_BYTES = 64 * 1024;

/** The configuration of another cell, of a file as the env_file of a container. */
export function readCellFile(path: string): AppConfig {
  try {
    return loadConfig(parseEnv(readBounded(path, MAX_FILE_BYTES)) as NodeJS.ProcessEnv);
  } catch (error) {
    throw new LaunchError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Runs something with a connection to a cell, as the role that owns its tables and without limits of time. */
export async function withCell<T>(config: AppConfig, run: (cell: Cell) => Promise<T>): Promise<T> {
  return withOwner(config, (dataSource) =>
    run({
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
    }),
  );
}

/** Runs something with a connection to a database, as the role that owns its tables and without limits of time. */
export async function withOwner<T>(
  config: AppConfig,
  run: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const url = config.requireMigrationDatabaseUrl();
  const dataSource = await createDataSource(url, 'greenroom-cells', { timeLimits: false }).initialize();
  try {
    return await run(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
