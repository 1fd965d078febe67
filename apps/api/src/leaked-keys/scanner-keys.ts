import { AppConfig } from '@app/config/app-config';
import { DomainError } from '@app/domain/errors';
import { exchangeHttp } from '@app/connections/http-exchange';
import { Injectable, Logger } from '@nestjs/common';
import { createPublicKey, verify, type KeyObject } from 'node:crypto';

const FRESH_MS = 60 * 60_000;
/** How often the scanner's keys are read at the most, for any number of requests and any outcome. */
const READ_AGAIN_MS = 10_000;
const FETCH_TIMEOUT_MS = 5_000;
/** A published list is a few kB. */
const MAX_BYTES = 256 * 1024;

/** The public keys that a secret scanner signs its reports with, as it publishes them at `SECRET_SCANNING_KEYS_URL`. */
@Injectable()
export class ScannerKeys {
  private readonly logger = new Logger(ScannerKeys.name);
  private keys = new Map<string, KeyObject>();
  private readAtMs = -Infinity;
  private triedAtMs = -Infinity;
  /** The last read; it does not reject. */
  private reading: Promise<void> | undefined;

  constructor(private readonly config: AppConfig) {}

  /**
   * Whether a report comes from the scanner: ECDSA P-256 over SHA-256 of the body, in DER and base64.
   *
   * @throws DomainError when reports are not expected, or the scanner's keys cannot be read
   */
  async isSigned(body: Buffer, { keyId, signature }: { keyId: string; signature: string }): Promise<boolean> {
    const key = await this.find(keyId);
    return key !== undefined && verify('sha256', body, key, Buffer.from(signature, 'base64'));
  }

  /** A key that is not known is looked for again: the scanner changes them now and then. */
  private async find(keyId: string): Promise<KeyObject | undefined> {
    const { secretScanningKeysUrl: url } = this.config;
    if (!url) throw new DomainError('leak_reports_not_expected');
    const isRequested = !this.isFresh || !this.keys.has(keyId);
    if (isRequested && performance.now() - this.triedAtMs > READ_AGAIN_MS) {
      this.triedAtMs = performance.now();
      this.reading = this.read(new URL(url));
    }
    await this.reading;
    if (!this.isFresh) throw new DomainError('service_unavailable');
    return this.keys.get(keyId);
  }

  private get isFresh(): boolean {
    return performance.now() - this.readAtMs < FRESH_MS;
  }

  private async read(url: URL): Promise<void> {
    try {
      const { status, body, bodyEnd } = await exchangeHttp({
        method: 'GET',
        url,
        headers: { accept: 'application/json', 'user-agent': 'Greenroom' },
        signal: new AbortController().signal,
        timeoutMs: FETCH_TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      });
      if (status !== 200 || bodyEnd !== 'complete') throw new Error(`status ${status}, body ${bodyEnd}`);
      this.keys = this.readKeys(JSON.parse(body.toString()));
      this.readAtMs = performance.now();
    } catch (error) {
      this.logger.error(`The keys of the secret scanner cannot be read: ${(error as Error).message}`);
    }
  }

  /** Those of the published keys that reports may be signed with. */
  private readKeys(published: unknown): Map<string, KeyObject> {
    const { public_keys: list } = Object(published) as { public_keys?: unknown };
    if (!Array.isArray(list)) throw new Error('it has no list public_keys');
    const keys = list.flatMap((entry: unknown) => {
      const { key_identifier: id, key } = Object(entry) as Record<string, unknown>;
      const read = toP256Key(key);
      if (typeof id === 'string' && read) return [[id, read] as const];
      this.logger.warn(
        `A key of the secret scanner is not an ECDSA P-256 key and is not used: ${String(id)}`,
      );
      return [];
    });
    return new Map(keys);
  }
}

/** The key; null for what is none of ECDSA on the curve P-256, in PEM. */
function toP256Key(pem: unknown): KeyObject | null {
  try {
    const key = createPublicKey(String(pem));
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
