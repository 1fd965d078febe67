import { AppConfig } from '@app/config/app-config';
import { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { evaluateClock, type Finding } from '@app/domain/common/backend-check';
import { OperationWatch } from '@app/operations/operation-watch';
import { examineRedis } from '@app/queue/redis-facts';
import { redisTarget } from '@app/connections/redis-client';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';

/**
 * Looks at what the worker stands on before it takes jobs: refuses to start on a Redis that is too old and on clocks that
 * are a minute apart, warns of what may lose or delay jobs. What cannot be reached is waited for elsewhere.
 */
@Injectable()
export class StartCheck implements OnModuleInit {
  private readonly logger = new Logger(StartCheck.name);

  constructor(
    private readonly config: AppConfig,
    private readonly database: DatabaseServerRepository,
    private readonly operation: OperationWatch,
  ) {}

  async onModuleInit(): Promise<void> {
    const shortage = await this.operation.findShortage('worker');
    if (shortage !== null) this.logger.warn(shortage);
    const findings = [await this.examineDatabase(), ...(await this.examineRedis())];
    for (const { status, detail } of findings) if (status === 'warning') this.logger.warn(detail);
    const failed = findings.filter(({ status }) => status === 'failed');
    if (failed.length > 0) throw new Error(failed.map(({ detail }) => detail).join(' '));
  }

  private async examineDatabase(): Promise<Finding> {
    const before = Date.now();
    const there = await this.database.readClock();
    const here = (before + Date.now()) / 2;
    return evaluateClock('the database', Math.abs(there.getTime() - here) / 1_000);
  }

  private async examineRedis(): Promise<Finding[]> {
    const redis = redisTarget(this.config);
    if (!redis) return [];
    try {
      return await examineRedis(redis);
    } catch (error) {
      return [{ status: 'warning', detail: `Redis cannot be examined yet: ${(error as Error).message}` }];
    }
  }
}
