import { AppConfig } from '@app/config/app-config';
import { FreeSpaceRepository } from '@app/database/common/free-space.repository';
import { measureSpace } from '@app/operations/disk-space';
import { Injectable } from '@nestjs/common';
import { hostname } from 'node:os';
import { ended, type Round } from '../loop';

/** Records how much is free on the disks of this machine, so that one can say when they are full. */
@Injectable()
export class SpaceLog {
  constructor(
    private readonly config: AppConfig,
    private readonly history: FreeSpaceRepository,
  ) {}

  async note(): Promise<Round> {
    const disk = await this.history.note(hostname(), await measureSpace(this.config));
    return ended('idle', { disk });
  }
}
