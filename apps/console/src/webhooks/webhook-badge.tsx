import type { Schema } from '../api/client';
import { StatusBadge, type Tone } from '../components/banner';

/** Whether an endpoint receives events, and why not. */
export function WebhookBadge({
  webhook: { enabled, disabled_reason, failing_since },
}: {
  webhook: Schema['WebhookResponse'];
}) {
  if (enabled && failing_since === null) return <StatusBadge tone="good">enabled</StatusBadge>;
  if (enabled) return <StatusBadge tone="warn">failing</StatusBadge>;
  const why = {
    staff: 'by us',
    customer: 'by the customer',
    failing: 'it accepted nothing for a day',
    gone: 'it responded 410',
  };
  return (
    <StatusBadge tone="bad">
      disabled{disabled_reason === null ? '' : `: ${why[disabled_reason]}`}
    </StatusBadge>
  );
}

const TONES: Record<Schema['DeliveryResponse']['state'], Tone> = {
  pending: 'info',
  delivered: 'good',
  failed: 'bad',
};

export function DeliveryBadge({ state }: { state: Schema['DeliveryResponse']['state'] }) {
  return <StatusBadge tone={TONES[state]}>{state}</StatusBadge>;
}
