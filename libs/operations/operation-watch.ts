import { AppConfig } from '@app/config/app-config';
import { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import type { Finding } from '@app/domain/common/backend-check';
import {
  connectionNeeds,
  connectionShortage,
  type ConnectionNeeds,
} from '@app/domain/operations/operation-check';
import type { Metrics } from '@app/telemetry/metrics';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { runChecks, type CheckReport, type CheckRow } from './check-row';
import { countProcesses, OPERATION_CHECKS, type Operation } from './operation-checks';

/** As Prometheus and Home may ask at once. */
const FRESH_SECS = 10;

const SERVING = Object.keys(OPERATION_CHECKS).filter((name) => OPERATION_CHECKS[name]!.serves);

/** In the metric. A check that is skipped has no value. */
const VALUES: Record<Finding['status'], number | null> = { ok: 0, warning: 1, failed: 2, skipped: null };

/** What the checks of the operation say in this process, each for as long as it is fresh. */
@Injectable()
export class OperationWatch {
  private readonly known = new Map<string, { atMs: number; finding: Promise<Finding> }>();

  constructor(
    private readonly config: AppConfig,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly server: DatabaseServerRepository,
  ) {}

  /** Every check. */
  async read(): Promise<CheckReport> {
    return this.makeChecks(Object.keys(OPERATION_CHECKS));
  }

  /** @throws Error with what is wrong when this process cannot serve */
  async requireServing(): Promise<void> {
    const cause = (await this.makeChecks(SERVING)).find(({ status }) => status === 'failed');
    if (cause) throw new Error(cause.detail);
  }

  /** What to say when connections may not suffice for this process, which is about to start; null when they do, or none can tell. */
  async findShortage(process: keyof ConnectionNeeds): Promise<string | null> {
    try {
      const [counted, heard] = await Promise.all([
        this.server.countConnections(),
        countProcesses(this.dataSource),
      ]);
      const needs = connectionNeeds(this.config.redisUrl !== undefined);
      return connectionShortage(process, { ...counted, ...heard }, needs);
    } catch {
      // The database is away or not migrated yet, which the process waits for elsewhere.
      return null;
    }
  }

  /** Adds one gauge for each check. */
  describe(metrics: Metrics): void {
    metrics.gauge(
      'greenroom_check_status',
      'What each check of the operation says: 0 healthy, 1 needs attention, 2 failed.',
      async () =>
        (await this.read()).flatMap(({ check, status }) => {
          const value = VALUES[status];
          return value === null ? [] : [{ labels: { check }, value }];
        }),
    );
  }

  private async makeChecks(names: string[]): Promise<CheckReport> {
    const { config, dataSource, server } = this;
    return runChecks(OPERATION_CHECKS, { config, dataSource, server }, names, (name, row) =>
      this.findingOf(name, row),
    );
  }

  /** Those who ask at the same time share one look. */
  private async findingOf(name: string, row: CheckRow<Operation>): Promise<Finding> {
    const { config, dataSource, server } = this;
    const freshMs = (row.freshSecs ?? FRESH_SECS) * 1_000;
    const known = this.known.get(name);
    if (known && performance.now() - known.atMs < freshMs) return known.finding;
    const finding = row.check({ config, dataSource, server });
    this.known.set(name, { atMs: performance.now(), finding });
    // What could not be looked at is looked at again.
    finding.catch(() => this.known.delete(name));
    return finding;
  }
}
