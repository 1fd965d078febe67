import { Alerts } from '@app/alerts/alerts';
import { AlertWatchRepository } from '@app/database/alerts/alert-watch.repository';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ended, type Round } from '../loop';

/** Looks at the pace at which accounts spend. It reads weeks of the ledger, so it looks seldom. */
@Injectable()
export class SpendingWatch {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly watch: AlertWatchRepository,
    private readonly alerts: Alerts,
  ) {}

  /** Several workers tell each thing once. */
  async look(): Promise<Round> {
    const forecasts = await this.dataSource.transaction(async (em) =>
      this.alerts.raise(await this.watch.listForecasts(em), em),
    );
    const spikes = await this.dataSource.transaction(async (em) =>
      this.alerts.raise(await this.watch.listSpikes(em), em),
    );
    return ended('idle', { alert: forecasts + spikes });
  }
}
