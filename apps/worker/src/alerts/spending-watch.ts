import { Alerts } from '@app/alerts/alerts';
import type { Noticed } from '@app/database/alerts/alert.repository';
import { AlertWatchRepository } from '@app/database/alerts/alert-watch.repository';
import { isStatementTimeout } from '@app/database/common/statement-timeout';
import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { doAll, ended, type Round } from '../loop';

const ACCOUNTS_AT_A_TIME = 50;

type List = (accountIds: readonly string[], em: EntityManager) => Promise<Noticed[]>;

/**
 * Looks at the pace at which accounts spend. It reads weeks of the ledger, so it looks seldom, and at some accounts at a
 * time: a statement has 5 s.
 */
@Injectable()
export class SpendingWatch {
  private readonly logger = new Logger(SpendingWatch.name);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly watch: AlertWatchRepository,
    private readonly alerts: Alerts,
  ) {}

  /** Several workers notify of each once. */
  async check(): Promise<Round> {
    let alert = 0;
    let after: string | null = null;
    do {
      const ids: string[] = await this.watch.listSpenders(after, ACCOUNTS_AT_A_TIME, this.dataSource.manager);
      const raised = await doAll([
        async () => this.raise(ids, (some, em) => this.watch.listForecasts(some, em)),
        async () => this.raise(ids, (some, em) => this.watch.listSpikes(some, em)),
      ]);
      alert += raised.reduce((sum, count) => sum + count, 0);
      after = ids.length < ACCOUNTS_AT_A_TIME ? null : ids.at(-1)!;
    } while (after !== null);
    return ended('idle', { alert });
  }

  /** How many alerts are news. Accounts that take too long together are looked at by halves. */
  private async raise(accountIds: readonly string[], list: List): Promise<number> {
    if (accountIds.length === 0) return 0;
    try {
      return await this.dataSource.transaction(async (em) =>
        this.alerts.raise(await list(accountIds, em), em),
      );
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      if (accountIds.length === 1) {
        this.logger.warn('An account spends too often for its pace to be looked at', {
          accountId: accountIds[0],
        });
        return 0;
      }
      const half = Math.ceil(accountIds.length / 2);
      return (
        (await this.raise(accountIds.slice(0, half), list)) + (await this.raise(accountIds.slice(half), list))
      );
    }
  }
}
