import type { Schema } from '../api/client';
import { humanize } from '../components/number';
import { StatusBadge, type Tone } from '../components/status-badge';

type Status = Schema['ApiKeyResponse']['effective_status'];

const TONES: Record<Status, Tone> = {
  enabled: 'good',
  disabled: 'bad',
  expired: 'warn',
  deleted: 'bad',
  account_suspended: 'bad',
  account_closed: 'bad',
};

/** Whether a key is accepted, and if it is not, why. */
export function KeyBadge({ apiKey }: { apiKey: Schema['ApiKeyResponse'] }) {
  return <StatusBadge tone={TONES[apiKey.effective_status]}>{textOf(apiKey)}</StatusBadge>;
}

function textOf({ effective_status: status, disable_reason: reason }: Schema['ApiKeyResponse']): string {
  if (status === 'account_suspended' || status === 'account_closed') return `refused: ${humanize(status)}`;
  return reason === null ? status : `${status}: ${humanize(reason)}`;
}
