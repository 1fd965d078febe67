import { QueueCommandRepository } from '@app/database/queue/queue-command.repository';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';
import type { AuditEntry } from '../audit/audit-log';

/** Commands that a queue pauses or resumes. They outlive its backend: workers repeat them there. */
@Injectable()
export class QueuePausesService {
  constructor(
    private readonly commands: QueueCommandRepository,
    private readonly changes: AuditedChanges,
  ) {}

  /**
   * Stores the order.
   *
   * @param isPausedNow reads the state from the backend of the queue; used before the first command
   * @throws DomainError `status_unchanged` when it is so already
   */
  async order(
    actor: AuditActor,
    { queue, paused, reason }: { queue: string; paused: boolean; reason: string },
    isPausedNow: () => Promise<boolean>,
  ): Promise<void> {
    await this.changes.make(async (em) => {
      const command = await this.commands.lock(queue, em);
      if ((command.isPaused ?? (await isPausedNow())) === paused)
        throw new DomainError('status_unchanged', { status: paused ? 'paused' : 'running' });
      await this.commands.set({ queue, isPaused: paused, orderedBy: actor.name, reason }, em);
      const event: AuditEntry = {
        actor,
        action: paused ? 'queue.paused' : 'queue.resumed',
        target: { type: 'queue', id: queue },
        before: { paused: !paused },
        after: { paused },
        reason,
      };
      return { result: undefined, events: [event] };
    });
  }
}
