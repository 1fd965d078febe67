import { Link } from '@tanstack/react-router';
import { EVENT_LIST, SCOPES } from '../audit-log/event';
import { DataTable } from '../components/data-table';
import { listing, useListing } from '../components/list-search';
import { Panel } from '../components/page';
import { useMe } from '../api/client';
import { accountTab } from './account-screen';

export { firstQueries } from './account-screen';

export default accountTab(function Activity({ account }) {
  const { role } = useMe();
  const search = { account_id: account.id };
  const listed = useListing(listing(['audit-log'], '/admin/audit-log', [], search));
  return (
    <Panel
      title="Activity"
      actions={
        <Link to="/audit-log" search={search as never}>
          Search and export
        </Link>
      }
      gap="md"
    >
      <span className="gr-dimmed">{SCOPES[role]}</span>
      <DataTable
        name="Activity of the account"
        {...listed}
        {...EVENT_LIST}
        empty="This account has no event that you may see."
      />
    </Panel>
  );
});
