import { PresetWatchService } from '@app/administration/allow-lists/preset-watch.service';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

/** Writes down what the files of allow-list presets have become. */
@Injectable()
export class PresetWatch {
  constructor(private readonly presets: PresetWatchService) {}

  async check(): Promise<Round> {
    return ended('idle', { preset: await this.presets.check() });
  }
}
