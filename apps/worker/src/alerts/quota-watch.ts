import { Alerts } from '@app/alerts/alerts';
import { AlertWatchRepository } from '@app/database/alerts/alert-watch.repository';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ended, type Round } from '../loop';

/** Every so many looks, all accounts are read: the contacts of the installation are notified of them. */
const EVERYONE_EACH = 30;

/** Sees which accounts, keys and budgets have used up a share of their credits, so that charging need not. */
@Injectable()
export class QuotaWatch {
  private checks = 0;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly watch: AlertWatchRepository,
    private readonly alerts: Alerts,
  ) {}

  /** Notifies of every threshold that was reached since the last check. Several workers notify of each once. */
  async check(): Promise<Round> {
    const everyone = this.checks % EVERYONE_EACH === 0;
    this.checks += 1;
    const alert = await this.dataSource.transaction(async (em) =>
      this.alerts.raise(await this.watch.listReachedQuotas(everyone, em), em),
    );
    return ended('idle', { alert });
  }
}
