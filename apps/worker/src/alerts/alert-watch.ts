import { Alerts } from '@app/alerts/alerts';
import { AppConfig } from '@app/config/app-config';
import type { Noticed } from '@app/database/alerts/alert.repository';
import { AlertWatchRepository } from '@app/database/alerts/alert-watch.repository';
import { BackupRunRepository } from '@app/database/operations/backup-run.repository';
import { ReviewFlowRepository } from '@app/database/reviews/review-flow.repository';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CheckWatch } from './check-watch';
import { doAll, ended, type Round } from '../loop';

/** Reviews that no worker touches any more. */
const DEAD = 'stalled';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Looks for what rules speak of, one kind after another: each separately, in a transaction with the alerts that it raises. */
@Injectable()
export class AlertWatch {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly watch: AlertWatchRepository,
    private readonly flow: ReviewFlowRepository,
    private readonly alerts: Alerts,
    private readonly backups: BackupRunRepository,
    private readonly config: AppConfig,
    private readonly checks: CheckWatch,
  ) {}

  /** Looks at keys, traffic and reviews. Several workers notify of each once. */
  async check(now = new Date()): Promise<Round> {
    const raised = await doAll([
      async () => this.checkReviews(now),
      async () => this.checkBackups(now),
      async () => this.checkOperation(now),
      async () => this.raise((em) => this.watch.listExpiringKeys(em)),
      async () => this.raise((em) => this.watch.listEndingRotations(em)),
      async () => this.raise((em) => this.watch.listDueRotations(em)),
      async () => this.raise((em) => this.watch.listIdleKeys(em)),
      async () => this.raise((em) => this.watch.listRefusedByLists(em)),
      async () => this.raise((em) => this.watch.listRefusedKeys(em)),
      async () => this.raise((em) => this.watch.listNewNetworks(em)),
      async () => this.raise((em) => this.watch.listFailingReceivers(em)),
    ]);
    return ended('idle', { alert: raised.reduce((sum, alerts) => sum + alerts, 0) });
  }

  /** How many of them are news. */
  private async raise(list: (em: EntityManager) => Promise<Noticed[]>): Promise<number> {
    return this.dataSource.transaction(async (em) => this.alerts.raise(await list(em), em));
  }

  /** These are raised once a day, and not counted here. */
  private async checkOperation(now: Date): Promise<number> {
    await this.checks.check(now);
    return 0;
  }

  /** Once a day, where backups are scheduled. */
  private async checkBackups(now: Date): Promise<number> {
    if (this.config.backupSchedule === undefined) return 0;
    const { succeededAt, lastError } = await this.backups.getState();
    if (succeededAt === null && lastError === null) return 0;
    const hours = succeededAt === null ? undefined : (now.getTime() - succeededAt.getTime()) / HOUR_MS;
    await this.dataSource.transaction((em) =>
      this.alerts.notice(em, {
        accountId: null,
        period: now.toISOString().slice(0, 10),
        kind: 'backup_missing',
        value: hours,
        data: { succeeded_at: succeededAt?.toISOString() ?? null, error: lastError },
      }),
    );
    return 0;
  }

  /** These alerts are raised once a day, and not counted here. */
  private async checkReviews(now: Date): Promise<number> {
    const states = await this.flow.listOpenStates();
    const dead = states.find(({ state }) => state === DEAD)?.reviews ?? 0;
    const oldest = Math.min(
      ...states.filter(({ state }) => state !== DEAD).map(({ since }) => since.getTime()),
    );
    const minutes = Number.isFinite(oldest) ? Math.floor((now.getTime() - oldest) / MINUTE_MS) : 0;
    await this.dataSource.transaction(async (em) => {
      const about = { accountId: null, period: now.toISOString().slice(0, 10) };
      if (dead > 0)
        await this.alerts.notice(em, {
          ...about,
          kind: 'dead_letters',
          value: dead,
          data: { reviews: dead },
        });
      if (minutes > 0)
        await this.alerts.notice(em, {
          ...about,
          kind: 'review_backlog',
          value: minutes,
          data: { waiting_minutes: minutes },
        });
    });
    return 0;
  }
}
