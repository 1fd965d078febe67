import { AppConfig } from '@app/config/app-config';
import { deriveKeys, isMacOf, type DerivedKeys } from '@app/domain/common/derived-key';
import { openSealedText, sealText } from '@app/domain/common/sealed-text';
import { isUuid } from '@app/domain/common/uuid';
import { Injectable } from '@nestjs/common';
import { createHmac, randomBytes } from 'node:crypto';

const SHOWN_LENGTH = 4;

/** The URLs of hooks, which are secrets, and the links with which contacts unsubscribe: a database without `APP_SECRET` reveals neither. */
@Injectable()
export class ContactSecrets {
  private readonly urlKeys: DerivedKeys;
  private readonly linkKeys: DerivedKeys;

  /** @throws ConfigError without `APP_SECRET` */
  constructor(config: AppConfig) {
    this.urlKeys = deriveKeys(config.requireAppSecrets(), 'contact urls');
    this.linkKeys = deriveKeys(config.requireAppSecrets(), 'unsubscribe links');
  }

  /** What is stored of the URL of a hook. */
  sealUrl(contactId: string, url: string): { sealedUrl: string; maskedUrl: string } {
    return {
      sealedUrl: this.seal(contactId, url),
      maskedUrl: `${new URL(url).hostname}/…${url.slice(-SHOWN_LENGTH)}`,
    };
  }

  /** @throws when no `APP_SECRET` is the one the URL was stored with */
  openUrl(contactId: string, sealedUrl: string): string {
    return openSealedText(sealedUrl, this.urlKeys, contactId);
  }

  /** A URL as it is stored, with the present `APP_SECRET`. */
  seal(contactId: string, url: string): string {
    return sealText(url, this.urlKeys[0], contactId, randomBytes);
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
    return `${contactId}.${macOf(contactId)(this.linkKeys[0]).toString('base64url')}`;
  }

  /** The contact of a token; null for one that is not ours. */
  readUnsubscribeToken(token: string): string | null {
    const [contactId = '', mac = ''] = token.split('.');
    if (!isUuid(contactId)) return null;
    return isMacOf(Buffer.from(mac, 'base64url'), this.linkKeys, macOf(contactId)) ? contactId : null;
  }
}

const macOf = (contactId: string) => (key: Buffer) => createHmac('sha256', key).update(contactId).digest();
