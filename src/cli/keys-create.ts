import type { AppConfig } from '@app/config/app-config';
import { AccountRepository } from '@app/database/accounts/account.repository';
import { resolve } from 'node:path';
import { ListedKeysService } from '../../libs/administration/allow-lists/listed-keys.service';
import type { IssuedApiKey, NewApiKey } from '../../libs/administration/keys/api-keys.service';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { DataDirLock } from '../launcher/data-dir-lock';
import { baseUrlOf } from '../launcher/preflight';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

interface KeyOptions {
  account: string;
  name: string;
  scopes: string;
  credits?: number;
  allowIp?: string[];
  confirm?: boolean;
  expires?: Date;
}

/** `greenroom keys create`: issues the key and shows its secret. */
export async function createKey(config: AppConfig, options: KeyOptions): Promise<void> {
  const issued = await withDatabase(config, (ready) => issue(ready, options));
  const holder = DataDirLock.holder(resolve(config.dataDir));
  const baseUrl = holder?.baseUrl ?? baseUrlOf(config.host, config.port);
  process.stdout.write(describe(issued, options, baseUrl));
}

async function issue(config: AppConfig, options: KeyOptions): Promise<IssuedApiKey> {
  return withServices(config, async (services) => {
    const account = await services.get(AccountRepository, { strict: false }).getByIdOrName(options.account);
    const input = {
      accountId: account.id,
      name: options.name,
      permissions: scopesOf(options),
      creditLimit: options.credits ?? null,
      expiresAt: options.expires,
    };
    const keys = services.get(ListedKeysService, { strict: false });
    return keys.create(byCommandLine(), input, firstList(options), 'Created on the command line');
  });
}

function firstList({ allowIp, confirm = false }: KeyOptions) {
  if (!allowIp) return null;
  return { entries: allowIp.map((address) => ({ address })), field: '--allow-ip', confirmed: confirm };
}

function scopesOf({ scopes }: KeyOptions): NewApiKey['permissions'] {
  return scopes === 'all' ? 'all' : scopes.split(',').map((scope) => scope.trim());
}

function describe({ keyId, secret, key }: IssuedApiKey, options: KeyOptions, baseUrl: string): string {
  const rows = {
    secret: `${secret} (shown this once)`,
    'key id': keyId,
    works: `at ${baseUrl}/v1, in the header xi-api-key`,
    from: options.allowIp?.join(', ') ?? 'any address',
    permissions: options.scopes,
    credits: options.credits === undefined ? "the account's" : `${options.credits} per billing period`,
    expires: key.expiresAt?.toISOString() ?? 'never',
  };
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(12)}${value}\n`)
    .join('');
}
