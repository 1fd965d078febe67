import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Subject } from './process.mjs';

const require = createRequire(import.meta.url);
const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const APP_SECRET = 'a-secret-of-the-bench-that-nobody-else-uses';

/** Fifty blocks; the loopback address is in the last one. */
export const FIFTY_BLOCKS = [...Array.from({ length: 49 }, (_, i) => `198.18.${i * 2}.0/24`), '127.0.0.0/8'];

/**
 * A migrated database, filled by `fill` if given, with enterprise accounts and keys, which the accounts have in turn.
 *
 * @returns {url, accountId, keys: [{keyId, secret}]}; accountId is of the first account
 */
export async function prepareGreenroom(
  postgres,
  name,
  {
    keys,
    creditLimit = null,
    permissions = ['models_read', 'voice_generation'],
    concurrency = 10_000,
    accounts = 1,
    fill,
  },
) {
  const ownerUrl = await postgres.createDatabase(name);
  const url = postgres.applicationUrl(name);
  const { migrateDatabase } = require('../../dist/libs/database/migrate.js');
  await migrateDatabase(ownerUrl, url);
  await fill?.(ownerUrl);
  const { withServices } = require('../../dist/src/cli/cli.module.js');
  const { AccountsService } = require('../../dist/libs/administration/accounts/accounts.service.js');
  const { ApiKeysService } = require('../../dist/libs/administration/keys/api-keys.service.js');
  return withServices(configFor(url), async (services) => {
    const accountIds = [];
    for (let i = 0; i < accounts; i += 1) {
      const account = { name: 'Bench', tier: 'enterprise', overrides: { credits: 2 ** 50, concurrency } };
      accountIds.push((await services.get(AccountsService).create(account)).id);
    }
    const issued = [];
    for (let i = 0; i < keys; i += 1) {
      const key = {
        accountId: accountIds[i % accounts],
        name: `bench ${i}`,
        permissions,
      };
      issued.push(
        await services.get(ApiKeysService).create({ ...key, allowedIps: FIFTY_BLOCKS, creditLimit }),
      );
    }
    return { url, accountId: accountIds[0], keys: issued.map(({ keyId, secret }) => ({ keyId, secret })) };
  });
}

export function configFor(url) {
  const { loadConfig } = require('../../dist/libs/config/app-config.js');
  return loadConfig({ DATABASE_URL: url, APP_SECRET, HOST: '127.0.0.1', PORT: '0' });
}

/** The settings of the launcher and the container image. */
const settings = () => require('../../dist/src/launcher/node-child.js').FRUGAL_MEMORY;

/** The api as it is run in production. */
export async function startApi(url, env = {}, options = {}) {
  const own = { DATABASE_URL: url, APP_SECRET, HOST: '127.0.0.1', PORT: '0' };
  return Subject.start(MAIN, ['api'], { ...settings(), ...own, ...env }, options);
}

/** The worker as it is run in production. */
export async function startWorker(url, env = {}) {
  const variables = { ...settings(), DATABASE_URL: url, APP_SECRET, ...env };
  return Subject.start(MAIN, ['worker'], variables, { alone: false });
}
