import { DatabaseServerRepository } from '@app/database/common/database-server.repository';
import { RELEASE } from '@app/database/schema/release';
import { ReviewFlowRepository } from '@app/database/reviews/review-flow.repository';
import { DomainError } from '@app/domain/errors';
import { OperationWatch } from '@app/operations/operation-watch';
import { Controller, Get } from '@nestjs/common';
import { PublicRoute } from '../http/route-access';
import { Drain } from '../server/drain';

/** A minute after it was enqueued, a job is with a worker, or no worker runs or its queue is down. */
const BEHIND_SECS = 60;
/** The same for a job that a queue has refused: longer than a restart of one takes. */
const REFUSED_SECS = 10;
const DATABASE_AWAY = ': PostgreSQL does not respond, or takes no writes';

@Controller()
export class PublicHealthController {
  constructor(
    private readonly database: DatabaseServerRepository,
    private readonly operation: OperationWatch,
    private readonly flow: ReviewFlowRepository,
    private readonly drain: Drain,
  ) {}

  /** The process is alive, and says which release it is: its version, the commit it was built from (where the build knew it), and its newest migration. */
  @Get('healthz') // Check whether the process is alive
  @PublicRoute()
  health(): { status: 'ok'; version: string; commit?: string; schema: string } {
    return { status: 'ok', ...RELEASE };
  }

  /** The process can serve: its database is migrated, takes writes and connections and has room on its disk, and it is not about to stop. Without a queue it continues to serve, and reviews come later. */
  @Get('readyz') // Check whether the process can serve
  @PublicRoute()
  async ready(): Promise<{ status: 'ready'; queue: 'ok' | 'behind' }> {
    if (this.drain.isUnderWay) throw new DomainError('service_unavailable');
    try {
      await this.database.requireMigrated();
      await this.operation.requireServing().catch((cause: unknown) => {
        throw new DomainError('service_unavailable', { part: DATABASE_AWAY }, { cause });
      });
      const { oldestSecs, failing } = await this.flow.getOutboxLag();
      return {
        status: 'ready',
        queue: oldestSecs > (failing > 0 ? REFUSED_SECS : BEHIND_SECS) ? 'behind' : 'ok',
      };
    } catch (cause) {
      if (cause instanceof DomainError) throw cause;
      throw new DomainError('service_unavailable', {}, { cause });
    }
  }
}
