import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { QueueCommand } from './queue-command.entity';

/** What staff have ordered last of a queue. */
export interface PauseOrder {
  queue: string;
  isPaused: boolean;
  since: Date;
  by: string | null;
  reason: string | null;
}

@Injectable()
export class QueueCommandRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Of every queue that staff have paused or resumed, the first order first. */
  async list(): Promise<PauseOrder[]> {
    return this.dataSource.query(
      `SELECT queue, is_paused AS "isPaused", ordered_at AS since, ordered_by AS by, reason
       FROM queue_order WHERE is_paused IS NOT NULL ORDER BY ordered_at`,
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
