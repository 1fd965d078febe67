import { AppConfig } from '@app/config/app-config';
import { deriveKey } from '@app/domain/derived-key';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../http/caller';
import type { PreviewAudioQuery } from './voice-query.dto';

const HOUR_SECS = 3_600;
const LIFE_HOURS = 24;

/**
 * The `preview_url` of a voice: whoever has it may listen for a day, without a key, as an `<audio>` tag does. Signed with a
 * key of its own, so nobody can write one for another voice or a later time.
 */
@Injectable()
export class PreviewUrls {
  private readonly key: Buffer;

  constructor(private readonly config: AppConfig) {
    this.key = deriveKey(config.requireAppSecret(), 'preview urls');
  }

  /**
   * The same URL for an hour, so that what was heard can be kept by a player.
   *
   * @throws DomainError `bad_request` when only the caller could say where we are, and has not
   */
  urlOf({ origin }: Caller, voiceId: string): string {
    if (!this.config.publicUrl && !URL.canParse(origin))
      throw new DomainError('bad_request', {
        reason: 'The header Host is missing or names no host: the preview_url of a voice begins with it.',
      });
    const expires = (Math.floor(Date.now() / 1_000 / HOUR_SECS) + LIFE_HOURS + 1) * HOUR_SECS;
    const url = new URL(`/v1/voices/${voiceId}/preview`, this.config.publicUrl ?? origin);
    url.search = `expires=${expires}&signature=${this.sign(voiceId, String(expires)).toString('base64url')}`;
    return url.href;
  }

  /** @throws DomainError `preview_url_refused` for a URL that is not ours, was changed or has expired */
  verify(voiceId: string, { expires, signature }: PreviewAudioQuery): void {
    const given = Buffer.from(signature, 'base64url');
    const expected = this.sign(voiceId, expires);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new DomainError('preview_url_refused', { reason: 'is not one that was issued here' });
    }
    if (Number(expires) * 1_000 > Date.now()) return;
    const at = new Date(Number(expires) * 1_000).toISOString();
    throw new DomainError('preview_url_refused', { reason: `expired at ${at}` });
  }

  private sign(voiceId: string, expires: string): Buffer {
    return createHmac('sha256', this.key).update(`${voiceId}\n${expires}`).digest();
  }
}
