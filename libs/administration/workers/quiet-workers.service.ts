import { WorkerProcessRepository } from '@app/database/workers/worker-process.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import type { AuditEntry } from '../audit/audit-log';

/** Lets single workers finish what they have and take nothing new, until they are resumed or end. */
@Injectable()
export class QuietWorkersService {
  constructor(
    private readonly workers: WorkerProcessRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /**
   * The worker follows within about a second.
   *
   * @param worker its id, or its name
   * @throws DomainError `worker_not_found`; `status_unchanged` when it is so already
   */
  async set(actor: AuditActor, worker: string, quiet: boolean, reason: string): Promise<void> {
    await this.changes.make(async (em) => {
      const found = await this.workers.lock(worker, em);
      if (!found) throw new DomainError('worker_not_found', { worker: worker.slice(0, 100) });
      const { id, name, quietSince } = found;
      if ((quietSince !== null) === quiet)
        throw new DomainError('status_unchanged', { status: quiet ? 'quiet' : 'running' });
      await this.workers.setQuiet(id, quiet ? { by: actor.name, reason } : null, em);
      const event: AuditEntry = {
        actor,
        action: quiet ? 'worker.quieted' : 'worker.resumed',
        target: { type: 'worker', id },
        before: { name, quiet: !quiet },
        after: { name, quiet },
        reason,
      };
      return { result: undefined, events: [event] };
    });
  }
}
