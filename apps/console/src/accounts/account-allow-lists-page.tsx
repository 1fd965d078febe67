import { SimpleGrid } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import { KeyBadge } from '../api-keys/key-columns';
import { DataTable, type Column } from '../components/data-table';
import { listing, useListing } from '../components/list-search';
import { Name, Noted, Time } from '../components/inline';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { UsageBar } from '../components/meter';
import { accountTab } from './account-screen';
import { EntitlementPanel } from './entitlement-panel';

export { firstQueries } from './account-screen';

const COLUMNS: Column<Schema['ListedApiKeyResponse']>[] = [
  {
    id: 'name',
    header: 'Key',
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to={`/api-keys/${id}/allow-list`}>
        <Name>{name}</Name>
      </Link>
    ),
  },
  { header: 'Status', cell: (key) => <KeyBadge apiKey={key} /> },
  {
    id: 'entries',
    header: 'Allow-list',
    cell: ({ allowed_ips }) => (
      <Noted note={<span className="gr-mono">{beginningOf(allowed_ips ?? [])}</span>}>
        {plural(allowed_ips?.length ?? 0, 'entry', 'entries')}
      </Noted>
    ),
  },
  {
    id: 'used',
    header: 'Last use',
    sort: 'last_used_at',
    cell: ({ last_used_at, last_used_from }) => (
      <Noted note={last_used_from && <span className="gr-mono">{last_used_from}</span>}>
        <Time at={last_used_at} relative />
      </Noted>
    ),
  },
];

const SHOWN = 3;

function beginningOf(entries: string[]): string {
  const more = entries.length - SHOWN;
  return `${entries.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${formatNumber(more)} more` : ''}`;
}

export default accountTab(function AllowLists({ account, onDone }) {
  const search = { account_id: account.id, has_allow_list: 'true' };
  const keys = useListing(listing(['api-keys'], '/admin/api-keys', [], search));
  const { total, with_allow_list: listed } = account.usage.keys;
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <EntitlementPanel account={account} onDone={onDone} />
        <Panel title="Limited to addresses">
          <UsageBar used={listed} limit={total} unit={total === 1 ? 'key' : 'keys'} />
          <div style={{ marginTop: 12 }}>
            <Link to={`/accounts/${account.id}/allow-list`}>The list for all keys of the account</Link>
          </div>
        </Panel>
      </SimpleGrid>
      <Panel title="Keys with an allow-list">
        <DataTable
          name="Keys with an allow-list"
          {...keys}
          columns={COLUMNS}
          defaultSort="-created_at"
          empty="No key of this account is limited to addresses. Add an allow-list on the page of a key."
        />
      </Panel>
    </>
  );
});
