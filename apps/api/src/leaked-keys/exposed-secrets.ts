import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { ManagementCredentialsService } from '@app/administration/staff/management-credentials.service';
import { ManagementCredentialRepository } from '@app/database/staff/management-credential.repository';
import { ServiceCredentialRepository } from '@app/database/keys/service-credential.repository';
import { digestSecret, secretKind } from '@app/domain/keys/api-key-secret';
import { DomainError, type ErrorCode } from '@app/domain/errors';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import { Injectable, Logger } from '@nestjs/common';
import { ApiKeyChangesService } from '@app/administration/keys/api-key-changes.service';
import { bySystem } from '@app/administration/audit/audit-actors';
import { ServiceCredentialsService } from '@app/administration/keys/service-credentials.service';

const ACTOR = bySystem('secret scanner');

/** Another request has disabled or deleted it in the meantime. */
const DONE_MEANWHILE: ErrorCode[] = [
  'status_unchanged',
  'api_key_not_found',
  'service_credential_not_found',
  'management_credential_not_found',
];

/** Disables what secrets open that were found in public. */
@Injectable()
export class ExposedSecrets {
  private readonly logger = new Logger(ExposedSecrets.name);

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly keyChanges: ApiKeyChangesService,
    private readonly credentials: ServiceCredentialRepository,
    private readonly credentialChanges: ServiceCredentialsService,
    private readonly programs: ManagementCredentialRepository,
    private readonly programChanges: ManagementCredentialsService,
  ) {}

  /** Disables the key or the credential of a service or program that has this secret. False when there is none, and nothing was changed. */
  async disable(secret: string, reason: string): Promise<boolean> {
    switch (secretKind(secret)) {
      case 'api_key':
        return this.disableKey(digestSecret(secret), reason);
      case 'service_credential':
        return this.disableCredential(digestSecret(secret), reason);
      case 'management_credential':
        return this.disableProgram(digestSecret(secret), reason);
      default:
        return false;
    }
  }

  private async disableKey(digest: string, reason: string): Promise<boolean> {
    const key = await this.keys.findByDigest(digest);
    if (key && mayComeToLife(key)) {
      const { keyId, accountId } = key;
      const target = { actor: ACTOR, keyId, expected: 'any' as const, reason };
      await unlessDone(this.keyChanges.disable(target, 'exposed_publicly'));
      this.logger.warn('A leaked key was disabled', { keyId, accountId });
    }
    return key !== null;
  }

  private async disableCredential(digest: string, reason: string): Promise<boolean> {
    const service = await this.credentials.findByDigest(digest);
    if (service && !service.disabled) {
      const { id } = service;
      await unlessDone(this.credentialChanges.disable({ actor: ACTOR, id, expected: 'any', reason }));
      this.logger.warn('A leaked service credential was disabled', { credentialId: id });
    }
    return service !== null;
  }

  private async disableProgram(digest: string, reason: string): Promise<boolean> {
    const program = await this.programs.findByDigest(digest);
    if (program && !program.disabledAt) {
      const { id } = program;
      await unlessDone(this.programChanges.disable({ actor: ACTOR, id, expected: 'any', reason }));
      this.logger.warn('A leaked management credential was disabled', { credentialId: id });
    }
    return program !== null;
  }
}

/** Whether the secret works, or could work again before it is known that it was exposed: a customer, an undo or staff enable keys. */
function mayComeToLife({ disableReason, retiresAtMs }: VerifiableKey): boolean {
  return disableReason !== 'exposed_publicly' && (retiresAtMs === null || retiresAtMs > Date.now());
}

async function unlessDone(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof DomainError) || !DONE_MEANWHILE.includes(error.code)) throw error;
  }
}
