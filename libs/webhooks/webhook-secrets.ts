import { AppConfig } from '@app/config/app-config';
import { randomBase62 } from '@app/domain/common/base62';
import { deriveKeys, type DerivedKeys } from '@app/domain/common/derived-key';
import { openSealedText, sealText } from '@app/domain/common/sealed-text';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const LENGTH = 40;
const SHOWN_LENGTH = 4;

/** The secrets that webhooks are signed with: a database without `APP_SECRET` does not reveal them. */
@Injectable()
export class WebhookSecrets {
  private readonly keys: DerivedKeys;

  /** @throws ConfigError without `APP_SECRET` */
  constructor(config: AppConfig) {
    this.keys = deriveKeys(config.requireAppSecrets(), 'webhook secrets');
  }

  /** A new secret of an endpoint: itself, to be shown once, and what is stored of it. */
  issue(endpointId: string): { secret: string; sealedSecret: string; secretLastFour: string } {
    const secret = PREFIX + randomBase62(LENGTH, randomBytes);
    return {
      secret,
      sealedSecret: this.seal(endpointId, secret),
      secretLastFour: secret.slice(-SHOWN_LENGTH),
    };
  }

  /** @throws when no `APP_SECRET` is the one the secret was stored with */
  open(endpointId: string, sealedSecret: string): string {
    return openSealedText(sealedSecret, this.keys, endpointId);
  }

  /** A secret as it is stored, with the present `APP_SECRET`. */
  seal(endpointId: string, secret: string): string {
    return sealText(secret, this.keys[0], endpointId, randomBytes);
  }
}
