import { DAY_MS } from '@app/domain/common/utc-days';
import { usableCredits } from '@app/domain/credits/credits-left';
import { Group, VisuallyHidden } from '@mantine/core';
import type { Schema } from '../api/client';
import { AccountName, KeyName, Time, StatusBadge, type Tone } from '../components/inline';
import type { Column } from '../components/data-table';
import { Tags } from '../components/labels';
import { Meter, numberOrZero, paceOf } from '../components/meter';
import { formatNumber, plural, humanize } from '../components/number';
import { Sparkline } from '../components/sparkline';

type ApiKey = Schema['ListedApiKeyResponse'];

const SOON_DAYS = 7;

export const KEY_COLUMNS: Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Key',
    sort: 'name',
    cell: (key) => (
      <Group gap={8} wrap="nowrap">
        <KeyMark apiKey={key} />
        <KeyName id={key.id} name={key.name} />
        <span className="gr-mono gr-hint gr-dimmed">{key.hint.replace(/^grk_/, '')}</span>
      </Group>
    ),
  },
  { header: 'Account', cell: ({ account }) => <AccountName account={account} /> },
  { id: 'credits', header: 'Used', number: true, cell: ({ credits }) => numberOrZero(credits.used) },
  { header: 'Pace', sort: 'credit_share', wide: 'tablet', cell: (key) => <KeyPace apiKey={key} /> },
  { header: 'Limit', number: true, wide: 'tablet', cell: limitOf },
  {
    id: 'days',
    header: '14 days',
    wide: 'desk',
    cell: ({ days_in_use }) => <DaysInUse days={days_in_use} />,
  },
  {
    id: 'used',
    header: 'Last used',
    sort: 'last_used_at',
    number: true,
    wide: 'tablet',
    cell: ({ last_used_at }) => <Time at={last_used_at} relative />,
  },
  {
    id: 'list',
    header: 'Let in from',
    wide: 'tablet',
    cell: ({ allowed_ips: list }) => (
      <span className="gr-hint">{list ? plural(list.length, 'entry', 'entries') : 'any address'}</span>
    ),
  },
  { header: 'Expires', sort: 'expires_at', number: true, cell: expiryOf },
  {
    header: 'Tags',
    wide: 'desk',
    cell: ({ tags: [first, ...others] }) =>
      first !== undefined && (
        <Group gap={4} wrap="nowrap" title={[first, ...others].join(', ')}>
          <Tags tags={[first]} to="/api-keys" /> {others.length > 0 && `+${others.length}`}
        </Group>
      ),
  },
];

const limitWithGrants = ({ credits }: ApiKey) => usableCredits({ ...credits, creditLimit: credits.limit });

function limitOf(key: ApiKey) {
  const limit = limitWithGrants(key);
  return limit === null ? <span className="gr-dimmed">no limit</span> : numberOrZero(limit);
}

function KeyPace({ apiKey }: { apiKey: ApiKey }) {
  const limit = limitWithGrants(apiKey);
  if (limit === null) return null;
  const { used, period_start: start, period_end: end } = apiKey.credits;
  const share = limit === 0 ? 1 : used / limit;
  const label = `${Math.floor(share * 100)} % of ${formatNumber(limit)} credits used`;
  return <Meter share={share} pace={paceOf({ start, end })} label={label} />;
}

/** On which of the last days a key was used: a silence is seen. */
function DaysInUse({ days }: { days: ApiKey['days_in_use'] }) {
  if (days === null) return null;
  const used = days.filter(Boolean).length;
  const label = `Used on ${used} of the last ${days.length} days`;
  return <Sparkline values={days.map(Number)} label={label} />;
}

function expiryOf({ expires_at: at }: ApiKey) {
  if (at === null || Date.parse(at) - Date.now() > SOON_DAYS * DAY_MS) return <Time at={at} dateOnly />;
  return (
    <StatusBadge tone={Date.parse(at) < Date.now() ? 'calm' : 'warn'}>
      <Time at={at} relative />
    </StatusBadge>
  );
}

export const OWN_KEY_COLUMNS = KEY_COLUMNS.filter(({ header }) => header !== 'Account');

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

export function KeyBadge({ apiKey }: { apiKey: KeyState }) {
  return <StatusBadge tone={TONES[apiKey.effective_status]}>{textOf(apiKey)}</StatusBadge>;
}

/** In the row of a list: the word only where there is something to say. */
function KeyMark({ apiKey }: { apiKey: KeyState }) {
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
