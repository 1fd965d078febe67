import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditCursor } from './audit-cursor.entity';
import type { AuditEvent } from './audit-event.entity';
import { AuditLogRepository } from './audit-log.repository';

const NAME = 'stream';

/** How far the stream is behind. */
export interface StreamLag {
  waiting: number;
  failingSince: Date | null;
  lastError: string | null;
}

/** Where the stream of the audit log stands. */
@Injectable()
export class AuditCursorRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: AuditLogRepository,
  ) {}

  /**
   * Delivers the events after the cursor and moves it behind them. The cursor is locked meanwhile: another process that tries the
   * same delivers nothing.
   *
   * @param deliver throws when the events did not arrive; the cursor stays where it is then
   * @returns how many events were delivered
   */
  async advance(limit: number, deliver: (events: AuditEvent[]) => Promise<void>): Promise<number> {
    // Not in the transaction: it would keep another process waiting for as long as the delivery takes.
    await this.dataSource.query('INSERT INTO audit_cursor (name) VALUES ($1) ON CONFLICT DO NOTHING', [NAME]);
    return this.dataSource.transaction(async (em) => {
      const [cursor] = await em.query<{ eventId: string }[]>(
        'SELECT event_id AS "eventId" FROM audit_cursor WHERE name = $1 FOR UPDATE SKIP LOCKED',
        [NAME],
      );
      if (!cursor) return 0;
      const events = await this.events.listAfter(cursor.eventId, limit, em);
      if (events.length === 0) return 0;
      await deliver(events);
      await em.update(
        AuditCursor,
        { name: NAME },
        { eventId: events.at(-1)!.id, movedAt: new Date(), failingSince: null, lastError: null },
      );
      return events.length;
    });
  }

  /** Notes that a delivery failed, for the doctor. */
  async noteFailure(error: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE audit_cursor SET failing_since = coalesce(failing_since, now()), last_error = $2 WHERE name = $1`,
      [NAME, error],
    );
  }

  /** Counts up to 10,000 exactly, and one more beyond that. */
  async getLag(): Promise<StreamLag> {
    const cursor = await this.dataSource.manager.findOneBy(AuditCursor, { name: NAME });
    const [row] = await this.dataSource.query<{ waiting: number }[]>(
      'SELECT count(*)::int AS waiting FROM (SELECT FROM audit_event WHERE id > $1 LIMIT 10001) after_cursor',
      [cursor?.eventId ?? '0'],
    );
    const { failingSince = null, lastError = null } = cursor ?? {};
    return { waiting: row!.waiting, failingSince, lastError };
  }
}
