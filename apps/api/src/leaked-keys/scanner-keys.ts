import { AppConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import { Injectable, Logger } from '@nestjs/common';
import { verify } from 'node:crypto';

const FRESH_MS = 60 * 60_000;
const FETCH_TIMEOUT_MS = 5_000;

interface PublishedKey {
  key_identifier: string;
  /** PEM. */
  key: string;
}

/** The public keys that a secret scanner signs its reports with, as it publishes them at `SECRET_SCANNING_KEYS_URL`. */
@Injectable()
export class ScannerKeys {
  private readonly logger = new Logger(ScannerKeys.name);
  private keys = new Map<string, string>();
  private readAtMs = -Infinity;

  constructor(private readonly config: AppConfig) {}

  /**
   * Whether a report comes from the scanner: ECDSA P-256 over SHA-256 of the body, in DER and base64.
   *
   * @throws DomainError when reports are not expected, or the scanner's keys cannot be read
   */
  async isSigned(body: Buffer, { keyId, signature }: { keyId: string; signature: string }): Promise<boolean> {
    const key = await this.find(keyId);
    if (key === undefined) return false;
    try {
      return verify('sha256', body, key, Buffer.from(signature, 'base64'));
    } catch {
      return false;
    }
  }

  /** A key that is not known is looked for again: the scanner changes them now and then. */
  private async find(keyId: string): Promise<string | undefined> {
    if (!this.config.secretScanningKeysUrl) throw new DomainError('leak_reports_not_expected');
    const ageMs = performance.now() - this.readAtMs;
    const isMissing = !this.keys.has(keyId) && ageMs > FRESH_MS / 60;
    if (ageMs > FRESH_MS || isMissing) await this.read(this.config.secretScanningKeysUrl);
    return this.keys.get(keyId);
  }

  private async read(url: string): Promise<void> {
    try {
      const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
      const answer = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
      const { public_keys: keys } = (await answer.json()) as { public_keys: PublishedKey[] };
      this.keys = new Map(keys.map(({ key_identifier: id, key }) => [id, key]));
      this.readAtMs = performance.now();
    } catch (error) {
      this.logger.error(`The keys of the secret scanner cannot be read: ${(error as Error).message}`);
      throw new DomainError('service_unavailable', {}, { cause: error });
    }
  }
}
