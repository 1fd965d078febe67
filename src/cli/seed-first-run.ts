import type { AppConfig } from '@app/config/app-config';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { AccountsService } from '../../libs/administration/accounts/accounts.service';
import { ApiKeysService } from '../../libs/administration/keys/api-keys.service';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import type { AuditEntry } from '@app/administration/audit/audit-log';
import { AuditedChanges } from '../../libs/administration/audit/audited-changes';
import { StaffService } from '../../libs/administration/staff/staff.service';
import { prepareDataDir } from '../launcher/data-dir';
import { writeFirstRun, type FirstRun } from '../launcher/first-run';
import { baseUrlOf } from '../launcher/preflight';
import { withServices } from './cli.module';

/**
 * Adds a demo account with a key that may do everything and a first admin, unless there is an account already, and writes
 * their access to `DATA_DIR/first-run.json`.
 *
 * @returns the access, or null when there was an account
 */
export async function seedFirstRun(config: AppConfig): Promise<FirstRun | null> {
  const dataDir = prepareDataDir(config.dataDir);
  return withServices(config, async (services) => {
    const accounts = services.get(AccountsService);
    const keys = services.get(ApiKeysService);
    const staff = services.get(StaffService);
    const repository = services.get(AccountRepository, { strict: false });
    const { result } = await services.get(AuditedChanges).make<FirstRun | null>(async (em) => {
      await repository.lockFirstRun(em);
      if (await repository.existsAny(em)) return { result: null, events: [] };
      const { id: accountId, name, tier } = await accounts.create({ name: 'Demo', tier: 'enterprise' }, em);
      const { keyId, secret } = await keys.create({ accountId, name: 'First run', permissions: 'all' }, em);
      const by = { actor: bySystem('first run'), reason: 'First run' };
      const account = { type: 'account', id: accountId, accountId };
      const key = { type: 'api_key', id: keyId, accountId };
      const created: AuditEntry[] = [
        { ...by, action: 'account.created', target: account, after: { name, tier } },
        { ...by, action: 'key.created', target: key, after: { name: 'First run' } },
      ];
      const { result: admin, events } = await staff.addingFirstAdmin()(em);
      const firstRun = {
        base_url: baseUrlOf(config.host, config.port),
        api_key: secret,
        ...(admin && { admin_email: admin.email, admin_password: admin.password }),
      };
      // Before the commit: the file is the only place of the secret, and a key whose secret is lost would stop the next attempt.
      writeFirstRun(dataDir, firstRun);
      return { result: firstRun, events: [...created, ...events] };
    });
    return result;
  });
}
