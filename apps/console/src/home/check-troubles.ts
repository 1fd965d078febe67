import type { Schema } from '../api/client';
import type { Attention } from './waiting';

/** Home says these from the queues already. */
const SAID = new Set(['workers', 'pauses']);

/** What is not healthy; a row that waits for another's repair is not news. */
export function checkTroubles(checks: Schema['OperationCheckResponse'][]): Attention[] {
  return checks
    .filter(({ name, status }) => (status === 'warning' || status === 'failed') && !SAID.has(name))
    .map(({ name, status, detail }) => ({
      text: `The check “${name}” ${status === 'failed' ? 'fails' : 'needs attention'}`,
      isEarly: status === 'warning',
      detail,
      to: '/queues',
    }));
}
