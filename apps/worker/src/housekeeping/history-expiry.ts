import { AppConfig } from '@app/config/app-config';
import { HistoryRepository } from '@app/database/history/history.repository';
import { Injectable } from '@nestjs/common';
import { ended, type Round } from '../loop';

const BATCH = 500;

/** Deletes what was spoken more than `HISTORY_DAYS` ago; its audio is then deleted as unreferenced. */
@Injectable()
export class HistoryExpiry {
  constructor(
    private readonly history: HistoryRepository,
    private readonly config: AppConfig,
  ) {}

  /** Deletes one batch. */
  async expire(): Promise<Round> {
    const deleted = await this.history.deleteOld(this.config.historyDays, BATCH);
    return ended(deleted >= BATCH ? 'more' : 'idle', { entry: deleted });
  }
}
