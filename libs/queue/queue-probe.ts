import type { AppConfig } from '@app/config/app-config';
import { Queue } from 'bullmq';
import { VOICE_REVIEW_QUEUE } from './jobs';
import { openBackend, QUEUE_PREFIX, queueConnection } from './queue-connection';
import { countJobs } from './queue-counts';

/**
 * How many reviews wait in the queue itself, read over a connection as workers open them.
 *
 * @throws why the queue cannot be read
 */
export async function countWaitingReviews(config: AppConfig): Promise<number> {
  const options = { connection: queueConnection(config), prefix: QUEUE_PREFIX };
  const queue = new Queue(VOICE_REVIEW_QUEUE, options, openBackend);
  queue.on('error', () => undefined);
  try {
    return (await countJobs(queue)).waiting;
  } finally {
    await queue.close();
  }
}
