interface Check {
  name: string;
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  detail: string;
}

/** Home says these from the queues already. */
const SAID = new Set(['workers', 'pauses']);

/** What is not healthy; a row that waits for another's repair is not news. */
export function checkTroubles(checks: readonly Check[]) {
  return checks
    .filter(({ name, status }) => (status === 'warning' || status === 'failed') && !SAID.has(name))
    .map(({ name, status, detail }) => ({
      text: `The check “${name}” ${status === 'failed' ? 'fails' : 'needs attention'}`,
      isEarly: status === 'warning',
      detail,
      to: '/queues',
    }));
}
