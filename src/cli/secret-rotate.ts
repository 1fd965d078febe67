import type { AppConfig } from '@app/config/app-config';
import { readAppSecret, readPreviousSecret, replaceAppSecret } from '@app/config/app-secret';
import { resolve } from 'node:path';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import {
  SecretRotationService,
  type SecretRotation,
} from '../../libs/administration/installation/secret-rotation.service';
import { DataDirLock } from '../launcher/data-dir-lock';
import { LaunchError } from '../launcher/launch-error';
import { withServices } from './cli.module';
import { withDatabase } from './with-database';

/**
 * `greenroom secret rotate`: stores under APP_SECRET what is stored under APP_SECRET_PREVIOUS. A secret that Greenroom has
 * generated is replaced first.
 *
 * @throws LaunchError without a previous secret, or while Greenroom runs with one that it has generated
 */
export async function rotateSecret(config: AppConfig): Promise<void> {
  if (config.appSecret === undefined) await replaceGenerated(config);
  else if (config.appSecretPrevious === undefined)
    throw new LaunchError(
      'APP_SECRET_PREVIOUS is not set. Set APP_SECRET to the new secret and APP_SECRET_PREVIOUS to the one before it, restart every process with both, then repeat this.',
    );
  process.stdout.write(describe(await rotate(config)));
}

async function replaceGenerated(config: AppConfig): Promise<void> {
  const dataDir = resolve(config.dataDir);
  if (readAppSecret(dataDir) === null)
    throw new LaunchError(
      `APP_SECRET is not set, and ${dataDir} has no generated secret: there is none to replace.`,
    );
  if (DataDirLock.holder(dataDir))
    throw new LaunchError(
      'Greenroom is running with the secret that it has generated. Stop it, repeat this, and start it again.',
    );
  // What a rotation that was cut short has left under the secret before.
  if (readPreviousSecret(dataDir) !== null) await rotate(config);
  replaceAppSecret(dataDir);
}

const rotate = (config: AppConfig): Promise<SecretRotation> =>
  withDatabase(config, (ready) =>
    withServices(ready, (services) => services.get(SecretRotationService).rotate(byCommandLine())),
  );

function describe({ webhookSecrets, contactUrls, auditKeyId, earlierAuditKeyIds }: SecretRotation): string {
  return `The secret is in use. Sealed with it now: ${webhookSecrets} webhook secrets, ${contactUrls} URLs of contacts.
Events of the audit log are signed with the key ${auditKeyId}; earlier keys that verify it: ${earlierAuditKeyIds.join(', ') || 'none'}.
Staff sign in again. The previous secret is needed for 25 hours more, for URLs of previews and responses that are stored, and for
as long as the unsubscribe links of messages that were sent are to work.
`;
}
