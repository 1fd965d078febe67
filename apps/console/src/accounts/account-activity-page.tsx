import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPage } from '../api/client';
import { EVENT_LIST, SCOPES } from '../audit-log/event';
import { DataTable } from '../components/data-table';
import { asQuery, useListSearch } from '../components/list-search';
import { Panel } from '../components/page';
import { useMe } from '../api/me';
import { AccountScreen } from './account-screen';

export { firstQueries } from './account-screen';

/** What staff and the customer have done with an account, its keys and its voices. */
export function AccountActivityPage() {
  return <AccountScreen>{({ account }) => <Activity accountId={account.id} />}</AccountScreen>;
}

function Activity({ accountId }: { accountId: string }) {
  const list = useListSearch();
  const { role } = useMe();
  const search = { ...list.search, account_id: accountId };
  const query = useQuery(readPage(['audit-log', search], '/admin/audit-log', asQuery(search)));
  return (
    <Panel
      title="Activity"
      actions={
        <Link to="/audit-log" search={{ account_id: accountId } as never}>
          Search and export
        </Link>
      }
    >
      <Stack>
        <span className="gr-dimmed">{SCOPES[role]}</span>
        <DataTable
          name="Activity of the account"
          query={query}
          {...EVENT_LIST}
          list={list}
          empty="This account has no event that you may see."
        />
      </Stack>
    </Panel>
  );
}
