import { AppConfig } from '@app/config/app-config';
import type { UsageCursor } from '@app/database/credits/usage-cursor.entity';
import { UsageCursorRepository } from '@app/database/credits/usage-cursor.repository';
import type { UsageSink } from '@app/domain/credits/usage-sink';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../audit/audit-actors';
import { AuditedChanges } from '../audit/audited-changes';

/** Stripe is said to know an identifier for a day, or longer. */
const KNOWN_TO_STRIPE_MS = 24 * 3_600_000;

/** A sink and how far it is. */
export interface UsageSinkState {
  sink: UsageSink;
  cursor: UsageCursor;
  /** Since when the next line of the ledger waits, whether it is for this sink or not; null when none does. */
  waitingSince: Date | null;
}

export interface UsageReplay {
  name: string;
  from: Date;
  reason: string;
  /** That a receiver may count lines twice that it does not recognise any more. */
  confirmed: boolean;
}

/** Billing systems that the usage of the ledger is sent to. Which there are is configured; where they stand is not. */
@Injectable()
export class UsageSinksService {
  constructor(
    private readonly config: AppConfig,
    private readonly cursors: UsageCursorRepository,
    private readonly changes: AuditedChanges,
  ) {}

  async list(): Promise<UsageSinkState[]> {
    return Promise.all(
      this.config.usageSinks.map(async (sink) => {
        const cursor = await this.cursors.get(sink.name);
        return { sink, cursor, waitingSince: await this.cursors.findWaitingSince(cursor.lineId) };
      }),
    );
  }

  /**
   * Sends the lines since a time again, or leaves out those before it.
   *
   * @throws DomainError `usage_sink_not_found`, `usage_replay_not_recognised`
   */
  async replay(actor: AuditActor, { name, from, reason, confirmed }: UsageReplay): Promise<void> {
    const names = this.config.usageSinks.map((sink) => sink.name);
    const sink = this.config.usageSinks.find((each) => each.name === name);
    if (!sink)
      throw new DomainError('usage_sink_not_found', {
        name: name.slice(0, 40),
        names: names.join(', ') || 'none',
      });
    const isOld = Date.now() - from.getTime() > KNOWN_TO_STRIPE_MS;
    if (sink.format === 'stripe' && isOld && !confirmed) throw new DomainError('usage_replay_not_recognised');
    const { lineId: before } = await this.cursors.get(name);
    await this.changes.make(async (em) => {
      const lineId = await this.cursors.moveTo(name, from, em);
      const target = { type: 'usage_sink', id: name };
      const [was, is] = [{ line: before }, { line: lineId, from: from.toISOString() }];
      return {
        result: undefined,
        events: [{ actor, action: 'usage_sink.replayed', target, before: was, after: is, reason }],
      };
    });
  }
}
