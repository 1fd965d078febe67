import { IdleKeysService } from '@app/administration/keys/idle-keys.service';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

/** Warns of keys that are not used, and disables them later, as key policies say. */
@Injectable()
export class IdleKeys {
  constructor(private readonly keys: IdleKeysService) {}

  async check(): Promise<Round> {
    const { warned, disabled, isMore } = await this.keys.check();
    return ended(isMore ? 'more' : 'idle', { warning: warned, key: disabled });
  }
}
