import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** The SQL of a table of deliveries; `D` is what a job of one carries: its id, and `dispatch`, which counts its jobs. */
export interface DueTable<D> {
  name: 'webhook_delivery' | 'alert_message';
  id: Exclude<keyof D & string, 'dispatch'>;
  /** From when the time counts in which one is tried. */
  startedAt: string;
  /** Run before a delivery `$1` is locked. */
  lockFirst?: string;
  /** Which of its rows. */
  only?: string;
}

type Due = { dispatch: number };

/** When webhooks, e-mails and messages to chats are due, and which job may send one: only the last that was enqueued. */
@Injectable()
export class DueDeliveryRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Locks a delivery that its job may still write; its age in seconds, or null when another job has taken it over. */
  async lockClaimed<D extends Due>(table: DueTable<D>, due: D, em: EntityManager): Promise<number | null> {
    if (table.lockFirst) await em.query(table.lockFirst, [due[table.id]]);
    const [row] = await em.query<{ secs: number }[]>(
      `SELECT extract(epoch FROM now() - ${table.startedAt})::float8 AS secs FROM ${table.name}
       WHERE id = $1 AND dispatch = $2 AND state = 'pending' FOR UPDATE`,
      [due[table.id], due.dispatch],
    );
    return row?.secs ?? null;
  }

  /** The same for one that `listOverdue` found; null as well when a worker has touched it since. */
  async lockOverdue<D extends Due>(
    table: DueTable<D>,
    due: D,
    idleSecs: number,
    em: EntityManager,
  ): Promise<number | null> {
    const ageSecs = await this.lockClaimed(table, due, em);
    const rows = await em.query<unknown[]>(
      `SELECT FROM ${table.name} WHERE id = $1 AND due_at < now() - make_interval(secs => $2)`,
      [due[table.id], idleSecs],
    );
    return rows.length > 0 ? ageSecs : null;
  }

  /** Has another job send it, due after `delaySecs`. */
  async postpone<D extends Due>(
    table: DueTable<D>,
    due: D,
    delaySecs: number,
    em: EntityManager,
  ): Promise<D> {
    const [rows] = await em.query<[D[], number]>(
      `UPDATE ${table.name} SET dispatch = dispatch + 1, due_at = now() + make_interval(secs => $2) WHERE id = $1
       RETURNING id AS "${table.id}", dispatch`,
      [due[table.id], delaySecs],
    );
    return rows[0]!;
  }

  /**
   * Deliveries whose job seems lost: due for `idleSecs`, not in the outbox, and no worker has touched them. Their jobs may still
   * wait in the queue.
   */
  async listOverdue<D extends Due>(table: DueTable<D>, idleSecs: number, limit: number): Promise<D[]> {
    return this.dataSource.query<D[]>(
      `SELECT d.id AS "${table.id}", d.dispatch FROM ${table.name} d
       WHERE d.state = 'pending' AND ${table.only ?? true} AND d.due_at < now() - make_interval(secs => $1)
         AND NOT EXISTS (SELECT FROM outbox o WHERE o.payload->>'${table.id}' = d.id::text)
       ORDER BY d.due_at LIMIT $2`,
      [idleSecs, limit],
    );
  }

  /** Notes that the jobs of deliveries were seen waiting. */
  async touch<D extends Due>(table: DueTable<D>, waiting: D[]): Promise<void> {
    // One that has failed meanwhile keeps its wait.
    await this.dataSource.query(
      `UPDATE ${table.name} SET due_at = now() WHERE id = ANY ($1) AND due_at < now()`,
      [waiting.map((due) => due[table.id])],
    );
  }

  /** Deletes up to `limit` deliveries that ended and are older than `days`; how many. */
  async deleteOld({ name }: Pick<DueTable<Due>, 'name'>, days: number, limit: number): Promise<number> {
    const [, deleted] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM ${name} WHERE id IN (
         SELECT id FROM ${name} WHERE state <> 'pending' AND created_at < now() - make_interval(days => $1) LIMIT $2)`,
      [days, limit],
    );
    return deleted;
  }
}
