import type { DataSource } from 'typeorm';
import type { Metrics } from './metrics';

interface Pool {
  totalCount: number;
  idleCount: number;
  waitingCount: number;
}

/** Adds how the process uses its connections to PostgreSQL, and who waits for one. */
export function countPoolConnections(metrics: Metrics, { driver }: DataSource): void {
  const { master: pool } = driver as unknown as { master: Pool };
  metrics.gauge('greenroom_database_connections', 'Connections of the pool to PostgreSQL.', () => [
    { labels: { state: 'busy' }, value: pool.totalCount - pool.idleCount },
    { labels: { state: 'idle' }, value: pool.idleCount },
  ]);
  metrics.gauge('greenroom_database_waiting', 'Queries that wait for a connection of the pool.', () => [
    { value: pool.waitingCount },
  ]);
}
