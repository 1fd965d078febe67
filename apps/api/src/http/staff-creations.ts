import { AppConfig } from '@app/config/app-config';
import { IdempotencyRepository } from '@app/database/common/idempotency.repository';
import { deriveKeys, type DerivedKeys } from '@app/domain/common/derived-key';
import { openSealedText, sealText } from '@app/domain/common/sealed-text';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';

/** A response as it is stored: its status, the headers that it set, and its body. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * The first responses to creations by staff that have an Idempotency-Key. The key is claimed before the creation and the response
 * stored after it: a creation whose process died between the two is not repeated. Responses hold secrets that are shown once, so
 * they are sealed.
 */
@Injectable()
export class StaffCreations {
  private readonly sealingKeys: DerivedKeys;

  constructor(
    config: AppConfig,
    private readonly requests: IdempotencyRepository,
  ) {
    this.sealingKeys = deriveKeys(config.requireAppSecrets(), 'stored responses');
  }

  /**
   * Claims a key of a staff member for a request.
   *
   * @returns the response that the request got the first time; null when it is to be performed now
   * @throws DomainError `idempotency_key_reused`, `idempotency_key_claimed`
   */
  async claim(staffId: string, key: string, request: object): Promise<StoredResponse | null> {
    const fingerprint = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const earlier = await this.requests.claim(staffId, key, fingerprint);
    if (!earlier) return null;
    if (earlier.fingerprint !== fingerprint) throw new DomainError('idempotency_key_reused', { key });
    if (!earlier.response)
      throw new DomainError('idempotency_key_claimed', { key, since: earlier.createdAt.toISOString() });
    const { sealed } = earlier.response as { sealed: string };
    return JSON.parse(openSealedText(sealed, this.sealingKeys, `${staffId} ${key}`)) as StoredResponse;
  }

  async store(staffId: string, key: string, response: StoredResponse): Promise<void> {
    const text = JSON.stringify(response);
    const sealed = sealText(text, this.sealingKeys[0], `${staffId} ${key}`, randomBytes);
    await this.requests.remember(staffId, key, { sealed });
  }

  /** After a refusal: nothing has happened, and the same request may be sent again. */
  async release(staffId: string, key: string): Promise<void> {
    await this.requests.release(staffId, key);
  }
}
