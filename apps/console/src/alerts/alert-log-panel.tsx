import { ALERT_KIND_NAMES, alertKind } from '@app/domain/alerts/alert-kinds';
import { ALERT_CHANNELS } from '@app/domain/alerts/alert-rule';
import type { Schema } from '../api/client';
import { AccountName, Noted, UserText, Time, StatusBadge, type Tone } from '../components/inline';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import type { Owner } from './alert-calls';

type Message = Schema['AlertMessageResponse'];

const FILTERS: readonly Filter[] = [
  {
    name: 'kind',
    label: 'What',
    choices: ALERT_KIND_NAMES.map((value) => ({ value, label: alertKind(value).name })),
  },
  { name: 'channel', label: 'Through', choices: ALERT_CHANNELS },
  { name: 'state', label: 'State', choices: ['pending', 'delivered', 'failed', 'cancelled'] },
  { name: 'from', label: 'Since', kind: 'date' },
  { name: 'to', label: 'Before', kind: 'date' },
];
const OF_ACCOUNT: Filter = { name: 'account_id', label: 'Account', kind: 'account' };

const TONES: Record<Message['state'], Tone> = {
  pending: 'info',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'calm',
};

const ACCOUNT: Column<Message> = {
  header: 'Account',
  cell: ({ account_id: id, account_name: name }) =>
    id === null ? 'the installation' : <AccountName account={{ id, name }} />,
};

const COLUMNS: Column<Message>[] = [
  { id: 'at', header: 'When', cell: ({ created_at }) => <Time at={created_at} relative /> },
  {
    id: 'recipient',
    header: 'Sent to',
    cell: ({ recipient, channel }) => (
      <Noted note={channel}>
        <UserText>{recipient}</UserText>
      </Noted>
    ),
  },
  {
    header: 'What',
    cell: ({ summary, alerts }) => (
      <Noted note={alerts > 1 && `and ${formatNumber(alerts - 1)} more in the same message`}>
        <UserText>{summary}</UserText>
      </Noted>
    ),
  },
  {
    header: 'State',
    cell: ({ state, last_error: error, due_at }) => (
      <div style={{ overflowWrap: 'anywhere' }}>
        <StatusBadge tone={TONES[state]}>{state}</StatusBadge>
        {due_at !== null && (
          <div className="gr-dimmed">
            due <Time at={due_at} relative />
          </div>
        )}
        {error !== null && (
          <div className="gr-dimmed">
            <UserText>{error}</UserText>
          </div>
        )}
      </div>
    ),
  },
];

export function AlertLogPanel({ owner }: { owner: Owner }) {
  const [filters, own] = owner === null ? [[OF_ACCOUNT, ...FILTERS], {}] : [FILTERS, { account_id: owner }];
  const listed = useListing(listing(['alert-messages'], '/admin/alert-messages', filters, own));
  return (
    <Panel title="Alerts that were sent">
      <FilteredList
        name="Alerts"
        {...listed}
        columns={owner === null ? [ACCOUNT, ...COLUMNS] : COLUMNS}
        empty="No alert has been sent yet, or none matches these filters."
      />
    </Panel>
  );
}
