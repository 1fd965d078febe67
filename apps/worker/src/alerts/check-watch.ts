import { Alerts } from '@app/alerts/alerts';
import { OperationWatch } from '@app/operations/operation-watch';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** The check that has a kind of alert of its own. */
const HAS_OWN_KIND = 'backup';
/** The check whose warning is news after some minutes: a pause may have been meant, but not to last. */
const WARNS = 'pauses';
const MINUTE_MS = 60_000;

/** Raises alerts of checks of the operation that fail, by how long this worker has seen them so: each once a day. */
@Injectable()
export class CheckWatch {
  private since = new Map<string, Date>();

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly operation: OperationWatch,
    private readonly alerts: Alerts,
  ) {}

  async check(now: Date): Promise<void> {
    const failing = (await this.operation.read()).filter(
      ({ check, status }) =>
        check !== HAS_OWN_KIND && (status === 'failed' || (check === WARNS && status === 'warning')),
    );
    this.since = new Map(failing.map(({ check }) => [check, this.since.get(check) ?? now]));
    if (failing.length === 0) return;
    const notices = failing.map(({ check, detail }) => {
      const since = this.since.get(check)!;
      return {
        kind: 'check_failed' as const,
        accountId: null,
        subject: check,
        period: now.toISOString().slice(0, 10),
        value: (now.getTime() - since.getTime()) / MINUTE_MS,
        data: { check, since: since.toISOString(), detail },
      };
    });
    await this.dataSource.transaction((em) => this.alerts.noticeAll(em, notices));
  }
}
