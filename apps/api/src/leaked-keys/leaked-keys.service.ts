import { ApiKeyRepository } from '@app/database/repositories/api-key.repository';
import { digestSecret, secretKind } from '@app/domain/api-key-secret';
import { DomainError } from '@app/domain/errors';
import type { VerifiableKey } from '@app/domain/key-decision';
import { Injectable, Logger } from '@nestjs/common';
import { ApiKeyChangesService } from '../api-keys/api-key-changes.service';
import { bySystem } from '../audit-log/audit-actors';
import { readReports, type LeakReport, type LeakVerdict } from './leak-report';
import { ScannerKeys } from './scanner-keys';

/** A report as it was received. */
export interface SignedReport {
  bytes: Buffer | undefined;
  keyId: string | undefined;
  signature: string | undefined;
}

/** Disables keys that a secret scanner has found where everybody can read them. */
@Injectable()
export class LeakedKeysService {
  private readonly logger = new Logger(LeakedKeysService.name);

  constructor(
    private readonly scannerKeys: ScannerKeys,
    private readonly keys: ApiKeyRepository,
    private readonly changes: ApiKeyChangesService,
  ) {}

  /**
   * Disables the keys that a report names and says of each finding whether the secret is one that we have given out.
   *
   * @throws DomainError unless the scanner has signed the report
   */
  async receive({ bytes, keyId = '', signature = '' }: SignedReport, body: unknown): Promise<LeakVerdict[]> {
    if (!bytes || !(await this.scannerKeys.isSigned(bytes, { keyId, signature })))
      throw new DomainError('report_not_signed');
    const verdicts: LeakVerdict[] = [];
    for (const report of readReports(body)) {
      const label = (await this.isOurs(report)) ? 'true_positive' : 'false_positive';
      verdicts.push({ token_raw: report.token, token_type: report.type, label });
    }
    return verdicts;
  }

  private async isOurs(report: LeakReport): Promise<boolean> {
    const isSecret = secretKind(report.token) === 'api_key';
    const key = isSecret ? await this.keys.findByDigest(digestSecret(report.token)) : null;
    if (key && isInUse(key)) await this.disable(key, report);
    return key !== null;
  }

  private async disable({ keyId, accountId }: VerifiableKey, { source, url }: LeakReport): Promise<void> {
    const actor = bySystem('secret scanner');
    const reason = `Found in public by a secret scanner (${source})${url && ` at ${url}`}`;
    await this.changes.disable({ actor, keyId, expected: 'any', reason }, 'exposed_publicly');
    this.logger.warn('A leaked key was disabled', { keyId, accountId });
  }
}

function isInUse({ disableReason, retiresAtMs }: VerifiableKey): boolean {
  return disableReason === null && (retiresAtMs === null || retiresAtMs > Date.now());
}
