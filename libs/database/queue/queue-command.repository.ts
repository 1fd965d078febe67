import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { QueueCommand } from './queue-command.entity';

@Injectable()
export class QueueCommandRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Whether each queue is to be paused, by its name; queues without an order are left out. */
  async list(): Promise<Map<string, boolean>> {
    const rows = await this.dataSource.query<{ queue: string; isPaused: boolean }[]>(
      `SELECT queue, is_paused AS "isPaused" FROM queue_order WHERE is_paused IS NOT NULL`,
    );
    return new Map(rows.map(({ queue, isPaused }) => [queue, isPaused]));
  }

  /** The queues that staff have paused, those first that were paused first. */
  async listPaused(): Promise<{ queue: string; since: Date; by: string | null; reason: string | null }[]> {
    return this.dataSource.query(
      `SELECT queue, ordered_at AS since, ordered_by AS by, reason FROM queue_order WHERE is_paused ORDER BY ordered_at`,
    );
  }

  /** What is ordered of one queue, locked until the transaction ends. */
  async lock(queue: string, em: EntityManager): Promise<QueueCommand> {
    await em.query('INSERT INTO queue_order (queue) VALUES ($1) ON CONFLICT DO NOTHING', [queue]);
    return em.findOneOrFail(QueueCommand, { where: { queue }, lock: { mode: 'pessimistic_write' } });
  }

  async set(order: Omit<QueueCommand, 'orderedAt'>, em: EntityManager): Promise<void> {
    await em.update(QueueCommand, { queue: order.queue }, { ...order, orderedAt: () => 'now()' });
  }
}
