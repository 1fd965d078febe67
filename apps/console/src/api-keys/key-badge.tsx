import { VisuallyHidden } from '@mantine/core';
import type { Schema } from '../api/client';
import { humanize } from '../components/number';
import { StatusBadge, type Tone } from '../components/status-badge';

type KeyState = Pick<Schema['ListedApiKeyResponse'], 'effective_status' | 'disable_reason'>;
type Status = KeyState['effective_status'];

const TONES: Record<Status, Tone> = {
  enabled: 'good',
  disabled: 'calm',
  expired: 'calm',
  deleted: 'calm',
  account_suspended: 'bad',
  account_closed: 'bad',
};

/** Whether a key is accepted, and if it is not, why. */
export function KeyBadge({ apiKey }: { apiKey: KeyState }) {
  return <StatusBadge tone={TONES[apiKey.effective_status]}>{textOf(apiKey)}</StatusBadge>;
}

/** The same in the row of a list: the word only where there is something to say. */
export function KeyMark({ apiKey }: { apiKey: KeyState }) {
  const text = textOf(apiKey);
  const isFine = apiKey.effective_status === 'enabled';
  return (
    <span className="gr-hint" title={text}>
      <StatusBadge tone={TONES[apiKey.effective_status]}>
        {isFine ? <VisuallyHidden>{text}</VisuallyHidden> : text}
      </StatusBadge>
    </span>
  );
}

function textOf({ effective_status: status, disable_reason: reason }: KeyState): string {
  if (status === 'account_suspended' || status === 'account_closed') return `refused: ${humanize(status)}`;
  return reason === null ? status : `${status}: ${humanize(reason)}`;
}
