import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPage } from '../api/client';
import { OWN_KEY_COLUMNS } from '../api-keys/key-columns';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { asQuery, useListSearch } from '../components/list-search';
import { Panel } from '../components/page';
import { AccountScreen } from './account-screen';

export { firstQueries } from './account-screen';

export function AccountKeysPage() {
  return <AccountScreen>{({ account }) => <Keys accountId={account.id} />}</AccountScreen>;
}

const FILTERS: readonly Filter[] = [{ name: 'search', label: 'Name or id', kind: 'search' }];

function Keys({ accountId }: { accountId: string }) {
  const list = useListSearch(FILTERS);
  const search = { ...list.search, account_id: accountId };
  const query = useQuery(readPage(['api-keys', search], '/admin/api-keys', asQuery(search)));
  return (
    <Panel
      title="API keys"
      actions={
        <Link to="/api-keys" search={{ account_id: accountId } as never}>
          All filters, export and bulk changes
        </Link>
      }
    >
      <FilteredList
        name="API keys of the account"
        query={query}
        columns={OWN_KEY_COLUMNS}
        rowId={({ id }) => id}
        list={list}
        defaultSort="-created_at"
        empty="No key matches. A key lets the customer's programs in."
      />
    </Panel>
  );
}
