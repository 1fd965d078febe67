import type { AppConfig } from '@app/config/app-config';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { readEmailAddress } from '@app/domain/common/email-address';
import { InvalidInput } from '@app/domain/common/invalid-input';
import type { AccountBound, ManageablePermission } from '@app/domain/staff/management-grants';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { ManagementCredentialsService } from '../../libs/administration/staff/management-credentials.service';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

interface ManagementOptions {
  creator: string;
  name: string;
  purpose: string;
  permission: ManageablePermission[];
  accounts: AccountBound;
  account?: string[];
  tag?: string;
  allowIp?: string[];
  confirm?: boolean;
  expires: Date;
  requests: number;
}

/** The options as the fields of the service are called. */
const OPTIONS: Record<string, string> = {
  permissions: '--permission',
  account_ids: '--account',
  tag: '--tag',
  allowed_ips: '--allow-ip',
  expires_at: '--expires',
};

/** `greenroom management create`: issues a credential for a program and shows its secret. */
export async function createManagement(config: AppConfig, options: ManagementOptions): Promise<void> {
  const { id, secret } = await withDatabase(config, (ready) => issue(ready, options));
  const rows = {
    secret: `${secret} (shown this once)`,
    'credential id': id,
    works: 'under /admin, as "Authorization: Bearer grm_…"',
    expires: options.expires.toISOString(),
  };
  for (const [name, value] of Object.entries(rows)) process.stdout.write(`${name.padEnd(15)}${value}\n`);
}

async function issue(config: AppConfig, options: ManagementOptions) {
  try {
    return await withServices(config, async (services) => {
      const email = readEmailAddress(options.creator) ?? options.creator;
      const creator = await services.get(StaffRepository, { strict: false }).findByEmail(email);
      if (creator === null) throw new Error(`--creator: no member of staff has the address ${email}.`);
      const input = {
        name: options.name,
        purpose: options.purpose,
        permissions: options.permission,
        accounts: options.accounts,
        accountIds: options.account ?? [],
        tag: options.tag ?? null,
        allowedIps: options.allowIp ?? [],
        anyAddress: options.confirm,
        expiresAt: options.expires,
        requestsPerMinute: options.requests,
      };
      const credentials = services.get(ManagementCredentialsService, { strict: false });
      return credentials.create(byCommandLine(), creator.id, input, 'Created on the command line');
    });
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const lines = error.problems.map(({ path: [field = ''], msg }) => `${OPTIONS[field] ?? field}: ${msg}.`);
    throw new Error(lines.join('\n'), { cause: error });
  }
}
