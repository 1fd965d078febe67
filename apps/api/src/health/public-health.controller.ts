import { OutboxRepository } from '@app/database/repositories/outbox.repository';
import { DomainError } from '@app/domain/errors';
import { Controller, Get } from '@nestjs/common';
import { PublicRoute } from '../http/route-access';

/** A minute after it was asked for, a job is with a worker, or no worker runs or its queue is away. */
const BEHIND_SECS = 60;

@Controller()
export class PublicHealthController {
  constructor(private readonly outbox: OutboxRepository) {}

  /** The process is alive. */
  @Get('healthz')
  @PublicRoute()
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The process can serve: its database answers. Without a queue it serves on, and reviews come later. */
  @Get('readyz')
  @PublicRoute()
  async ready(): Promise<{ status: 'ready'; queue: 'ok' | 'behind' }> {
    try {
      return { status: 'ready', queue: (await this.outbox.lagSecs()) > BEHIND_SECS ? 'behind' : 'ok' };
    } catch (cause) {
      throw new DomainError('service_unavailable', {}, { cause });
    }
  }
}
