import { AppConfig } from '@app/config/app-config';
import { ApiKeyRepository } from '@app/database/keys/api-key.repository';
import { deriveKeys, isMacOf, type DerivedKeys } from '@app/domain/common/derived-key';
import { DomainError } from '@app/domain/errors';
import { ARRIVAL, pass } from '@app/gates/gates';
import type { VerifiableKey } from '@app/domain/keys/verifiable-key';
import type { Permission } from '@app/domain/keys/permissions';
import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import type { Caller } from '@app/domain/keys/caller';

const HOUR_SECS = 3_600;
const LIFE_HOURS = 24;

/** What a key must still be permitted, one of them: its `preview_url`s come from reading and from creating voices. */
const PERMISSIONS: readonly Permission[] = ['voices_read', 'voices_write'];

/** What of a URL says until when, by whom and with which signature. */
interface SignedPart {
  expires: string;
  issuer: string;
  signature: string;
}

/**
 * The `preview_url` of a voice: who has it may listen for a day, without a key, as an `<audio>` tag does. It works from
 * everywhere, because that tag is in the browsers of the customer's own customers, and no longer than the secret of the
 * key that requested it. Signed with a separate key, so that no other voice, time or issuer can be written into it.
 */
@Injectable()
export class PreviewUrls {
  private readonly signingKeys: DerivedKeys;

  constructor(
    config: AppConfig,
    private readonly keys: ApiKeyRepository,
  ) {
    this.signingKeys = deriveKeys(config.requireAppSecrets(), 'preview urls');
  }

  /**
   * The same URL for an hour, so that a player can cache the recording.
   *
   * @throws DomainError `bad_request` when only the caller could say where we are, and has not
   */
  urlOf({ origin, key }: Caller, voiceId: string): string {
    if (!URL.canParse(origin))
      throw new DomainError('bad_request', {
        reason: 'The header Host is missing or names no host: the preview_url of a voice begins with it.',
      });
    const expires = String((Math.floor(Date.now() / 1_000 / HOUR_SECS) + LIFE_HOURS + 1) * HOUR_SECS);
    const issuer = `${key.keyId}.${key.secretNumber}`;
    const signature = macOf(voiceId, expires, issuer)(this.signingKeys[0]).toString('base64url');
    const url = new URL(`/v1/voices/${voiceId}/preview`, origin);
    url.search = `expires=${expires}&issuer=${issuer}&signature=${signature}`;
    return url.href;
  }

  /**
   * The account whose voice may be played.
   *
   * @throws DomainError `preview_url_refused` for a URL that is not ours, was changed, has expired, or whose key may not be
   *   used any more
   */
  async verify(voiceId: string, query: SignedPart): Promise<string> {
    this.checkSignature(voiceId, query);
    const [keyId = '', secretNumber] = query.issuer.split('.');
    const key = await this.keys.findVerifiable(keyId, Number(secretNumber));
    if (!key || !mayListen(key))
      throw new DomainError('preview_url_refused', {
        reason: 'was issued with a key that does not work any more',
      });
    return key.accountId;
  }

  private checkSignature(voiceId: string, { expires, issuer, signature }: SignedPart): void {
    const input = Buffer.from(signature, 'base64url');
    if (!isMacOf(input, this.signingKeys, macOf(voiceId, expires, issuer))) {
      throw new DomainError('preview_url_refused', { reason: 'is not one that was issued here' });
    }
    if (Number(expires) * 1_000 > Date.now()) return;
    const at = new Date(Number(expires) * 1_000).toISOString();
    throw new DomainError('preview_url_refused', { reason: `expired at ${at}` });
  }
}

const macOf = (voiceId: string, expires: string, issuer: string) => (key: Buffer) =>
  createHmac('sha256', key).update(`${voiceId}\n${expires}\n${issuer}`).digest();

/** The decision about a request with the key itself, except for its allow-lists. */
function mayListen(key: VerifiableKey): boolean {
  const use = { key: { ...key, allowList: null, accountList: null }, address: null, nowMs: Date.now() };
  return PERMISSIONS.some((permission) => pass(ARRIVAL.key, { ...use, permission }) === null);
}
