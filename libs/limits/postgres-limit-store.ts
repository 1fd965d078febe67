import type { LimitStore, RequestAsk, RequestGrant, Slot } from '@app/limits/limit-store';
import type { DataSource } from 'typeorm';

/** Counts for limits in PostgreSQL, by its clock. */
export class PostgresLimitStore implements LimitStore {
  /** @param close ends the connections, if nothing else uses them */
  constructor(
    private readonly dataSource: DataSource,
    readonly close?: () => Promise<void>,
  ) {}

  async takeRequests(asks: RequestAsk[], windowMs: number): Promise<RequestGrant[]> {
    return this.dataSource.query<RequestGrant[]>(
      `SELECT granted, used, ends_in_ms AS "endsInMs" FROM take_requests($1, $2, $3, $4)`,
      [
        asks.map((ask) => ask.keyId),
        asks.map((ask) => ask.limit),
        asks.map((ask) => ask.requested),
        windowMs,
      ],
    );
  }

  async findWindow(keyId: string): Promise<Omit<RequestGrant, 'granted'> | null> {
    const [row] = await this.dataSource.query<{ used: number; endsInMs: number }[]>(
      `SELECT used, ceil(extract(epoch FROM ends_at - clock_timestamp()) * 1000)::int AS "endsInMs"
       FROM rate_window WHERE key_id = $1 AND ends_at > clock_timestamp()`,
      [keyId],
    );
    return row ?? null;
  }

  async takeSlot(
    { id, ownerId }: Slot,
    limit: number,
    leaseMs: number,
  ): Promise<{ taken: boolean; running: number }> {
    const [row] = await this.dataSource.query<{ taken: boolean; running: number }[]>(
      'SELECT taken, running FROM take_generation_slot($1, $2, $3, $4)',
      [ownerId, id, limit, leaseMs],
    );
    return row!;
  }

  async renewSlots(slots: Slot[], leaseMs: number): Promise<void> {
    await this.dataSource.query(
      // The column has the name of what owned every slot before keys had limits.
      `INSERT INTO generation_slot (id, account_id, expires_at)
       SELECT id, account_id, clock_timestamp() + make_interval(secs => $3 / 1000.0)
       FROM unnest($1::text[], $2::uuid[]) AS s (id, account_id) ORDER BY id
       ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
      [slots.map((slot) => slot.id), slots.map((slot) => slot.ownerId), leaseMs],
    );
  }

  async freeSlots(slots: Slot[]): Promise<void> {
    await this.dataSource.query('DELETE FROM generation_slot WHERE id = ANY ($1)', [
      slots.map(({ id }) => id),
    ]);
  }

  async countSlots(ownerId: string): Promise<number> {
    const [row] = await this.dataSource.query<{ running: number }[]>(
      `SELECT count(*)::int AS running FROM generation_slot
       WHERE account_id = $1 AND expires_at > clock_timestamp()`,
      [ownerId],
    );
    return row?.running ?? 0;
  }

  /** Deletes windows and slots unused for a day. Returns how many there were. */
  async deleteOld(): Promise<number> {
    const [row] = await this.dataSource.query<{ deleted: number }[]>(
      `WITH windows AS (
         DELETE FROM rate_window WHERE ends_at < clock_timestamp() - interval '1 day' RETURNING 1
       ), slots AS (
         DELETE FROM generation_slot WHERE expires_at < clock_timestamp() - interval '1 day' RETURNING 1
       )
       SELECT ((SELECT count(*) FROM windows) + (SELECT count(*) FROM slots))::int AS deleted`,
    );
    return row?.deleted ?? 0;
  }
}
