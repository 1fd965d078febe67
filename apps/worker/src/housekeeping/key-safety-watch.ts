import { KeySafetyWatchService } from '@app/administration/key-safety/key-safety-watch.service';
import { Injectable } from '@nestjs/common';
import type { Round } from '../loop';

/** Makes findings about keys, some keys at a time. */
@Injectable()
export class KeySafetyWatch {
  constructor(private readonly watch: KeySafetyWatchService) {}

  async check(): Promise<Round> {
    return (await this.watch.check()) ? 'more' : 'idle';
  }
}
