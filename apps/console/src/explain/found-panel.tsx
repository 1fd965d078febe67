import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { Empty, Loaded } from '../components/loading';
import { Name } from '../components/name';
import { humanize } from '../components/number';
import { Panel } from '../components/page';
import { foundRequests } from './found-requests';
import { outcomesOf } from './outcome';
import { OutcomePanel } from './outcome-panel';
import type { RequestFields } from './request-form';

/** The keys and requests that a pasted text may mean. The only one is taken at once. */
export function FoundPanel({ find, fields }: { find: string; fields: Partial<RequestFields> }) {
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ['search', find],
    queryFn: async () => {
      const { items } = await unwrap(api.GET('/admin/search', { params: { query: { q: find } } }));
      return items;
    },
  });
  const found = foundRequests(query.data ?? [], fields);
  const only = found.length === 1 ? found[0] : undefined;
  useEffect(() => {
    if (only) void navigate({ to: '/explain', search: only.search as never, replace: true });
  }, [query.data]);
  if (found.length === 0 && outcomesOf(query.data ?? []).length > 0) return <OutcomePanel requestId={find} />;
  return (
    <Panel title="Which key?">
      <Loaded query={query}>
        {() =>
          found.length === 0 ? (
            <Empty title="No key or request found">
              Refused requests are kept for a while, the newest of each key; the last four are letters and
              digits of the secret’s end.
            </Empty>
          ) : (
            <ul className="gr-attention">
              {found.map(({ hit, search }) => (
                <li key={JSON.stringify(search)}>
                  <Link to="/explain" search={search as never}>
                    <Name>{hit.name}</Name>
                  </Link>
                  <div className="gr-dimmed">
                    <Details hit={hit} />
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Details({ hit: { detail, status, account } }: { hit: Schema['SearchHitResponse'] }) {
  return <Name>{[detail, status && humanize(status), account?.name].filter(Boolean).join(' · ')}</Name>;
}
