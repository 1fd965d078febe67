import { AppConfig } from '@app/config/app-config';
import { randomBase62 } from '@app/domain/common/base62';
import { deriveKey } from '@app/domain/common/derived-key';
import { openSealedText, sealText } from '@app/domain/common/sealed-text';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const LENGTH = 40;
const HINT_LENGTH = 4;

/** The secrets that webhooks are signed with: a database without `APP_SECRET` does not reveal them. */
@Injectable()
export class WebhookSecrets {
  private readonly key: Buffer;

  /** @throws ConfigError without `APP_SECRET` */
  constructor(config: AppConfig) {
    this.key = deriveKey(config.requireAppSecret(), 'webhook secrets');
  }

  /** A new secret of an endpoint: itself, to be shown once, and what is stored of it. */
  issue(endpointId: string): { secret: string; sealedSecret: string; secretHint: string } {
    const secret = PREFIX + randomBase62(LENGTH, randomBytes);
    return {
      secret,
      sealedSecret: sealText(secret, this.key, endpointId, randomBytes),
      secretHint: secret.slice(-HINT_LENGTH),
    };
  }

  /** @throws when `APP_SECRET` is not the one the secret was stored with */
  open(endpointId: string, sealedSecret: string): string {
    return openSealedText(sealedSecret, this.key, endpointId);
  }
}
