import type { Schema } from '../api/client';
import { words } from '../components/number';
import { StatusBadge, type Tone } from '../components/status-badge';

const TONES: Record<Schema['ApiKeyResponse']['status'], Tone> = {
  enabled: 'good',
  disabled: 'bad',
  expired: 'warn',
};

/** The state of a key, and why it is disabled. */
export function KeyBadge({ apiKey: { status, disable_reason } }: { apiKey: Schema['ApiKeyResponse'] }) {
  return (
    <StatusBadge tone={TONES[status]}>
      {status}
      {disable_reason === null ? '' : `: ${words(disable_reason)}`}
    </StatusBadge>
  );
}
