import { Link } from '@tanstack/react-router';
import { OWN_KEY_COLUMNS } from '../api-keys/key-columns';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { listing, useListing } from '../components/list-search';
import { Panel } from '../components/page';
import { accountTab } from './account-screen';

export { firstQueries } from './account-screen';

const FILTERS: readonly Filter[] = [{ name: 'search', label: 'Name or id', kind: 'search' }];

export default accountTab(function Keys({ account }) {
  const search = { account_id: account.id };
  const listed = useListing(listing(['api-keys'], '/admin/api-keys', FILTERS, search));
  return (
    <Panel
      title="API keys"
      actions={
        <Link to="/api-keys" search={search as never}>
          All filters, export and bulk changes
        </Link>
      }
    >
      <FilteredList
        name="API keys of the account"
        {...listed}
        columns={OWN_KEY_COLUMNS}
        defaultSort="-created_at"
        empty="No key matches. A key lets the customer's programs in."
      />
    </Panel>
  );
});
