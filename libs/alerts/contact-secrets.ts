import { AppConfig } from '@app/config/app-config';
import { deriveKey } from '@app/domain/common/derived-key';
import { openSealedText, sealText } from '@app/domain/common/sealed-text';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const HINT_LENGTH = 4;

/** The URLs of hooks, which are secrets, and the links with which contacts unsubscribe: a database without `APP_SECRET` reveals neither. */
@Injectable()
export class ContactSecrets {
  private readonly urlKey: Buffer;
  private readonly linkKey: Buffer;

  /** @throws ConfigError without `APP_SECRET` */
  constructor(config: AppConfig) {
    this.urlKey = deriveKey(config.requireAppSecret(), 'contact urls');
    this.linkKey = deriveKey(config.requireAppSecret(), 'unsubscribe links');
  }

  /** What is stored of the URL of a hook. */
  sealUrl(contactId: string, url: string): { sealedUrl: string; urlHint: string } {
    return {
      sealedUrl: sealText(url, this.urlKey, contactId, randomBytes),
      urlHint: `${new URL(url).hostname}/…${url.slice(-HINT_LENGTH)}`,
    };
  }

  /** @throws when `APP_SECRET` is not the one the URL was stored with */
  openUrl(contactId: string, sealedUrl: string): string {
    return openSealedText(sealedUrl, this.urlKey, contactId);
  }

  /** Whether this is the URL of a hook; no for one that was stored with another `APP_SECRET`. */
  isUrl({ id, sealedUrl }: { id: string; sealedUrl: string | null }, url: string): boolean {
    if (sealedUrl === null) return false;
    try {
      return this.openUrl(id, sealedUrl) === url;
    } catch {
      return false;
    }
  }

  /** What proves that the link of a contact is ours: its id and a MAC, as base64url. It does not expire. */
  unsubscribeToken(contactId: string): string {
    return `${contactId}.${this.mac(contactId).toString('base64url')}`;
  }

  /** The contact of a token; null for one that is not ours. */
  readUnsubscribeToken(token: string): string | null {
    const [contactId = '', mac = ''] = token.split('.');
    const [given, expected] = [Buffer.from(mac, 'base64url'), this.mac(contactId)];
    if (!isUuid(contactId) || given.length !== expected.length) return null;
    return timingSafeEqual(given, expected) ? contactId : null;
  }

  private mac(contactId: string): Buffer {
    return createHmac('sha256', this.linkKey).update(contactId).digest();
  }
}
