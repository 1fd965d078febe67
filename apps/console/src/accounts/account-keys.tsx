import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, unwrap } from '../api/client';
import { KeyBadge } from '../api-keys/key-badge';
import { Empty, Loaded } from '../components/loading';
import { Name } from '../components/name';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';

const SHOWN = 10;

/** The newest keys of an account, and the way to all of them. */
export function AccountKeys({ accountId }: { accountId: string }) {
  const query = useQuery({
    queryKey: ['api-keys', { account_id: accountId, limit: SHOWN }],
    queryFn: () =>
      unwrap(
        api.GET('/admin/accounts/{account_id}/api-keys', {
          params: { path: { account_id: accountId }, query: { limit: SHOWN } },
        }),
      ),
  });
  return (
    <Panel
      title="API keys"
      actions={
        <Link to="/api-keys" search={{ account_id: accountId } as never}>
          All {query.data ? formatNumber(query.data.total) : ''} keys
        </Link>
      }
    >
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No keys yet">A key lets the customer's programs in.</Empty>
          ) : (
            <table className="gr-table gr-stacks" aria-label="API keys of the account">
              <thead>
                <tr>
                  <th>Name</th>
                  <th>Ends in</th>
                  <th>Status</th>
                  <th>Last use</th>
                </tr>
              </thead>
              <tbody>
                {items.map((key) => (
                  <tr key={key.id}>
                    <td data-label="Name">
                      <Link to="/api-keys/$keyId" params={{ keyId: key.id }}>
                        <Name>{key.name}</Name>
                      </Link>
                    </td>
                    <td data-label="Ends in" className="gr-mono">
                      {key.hint}
                    </td>
                    <td data-label="Status">
                      <KeyBadge apiKey={key} />
                    </td>
                    <td data-label="Last use">
                      <Time at={key.last_used_at} relative />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Panel>
  );
}
