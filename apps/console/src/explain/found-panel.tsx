import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { read, type Schema } from '../api/client';
import { Empty, Loaded } from '../components/loading';
import { Name } from '../components/name';
import { humanize } from '../components/number';
import { Panel } from '../components/page';
import { foundRequests } from './found-requests';
import { outcomesOf } from './outcome';
import { OutcomePanel } from './outcome-panel';
import type { RequestFields } from './request-form';

/** The keys and requests that a pasted text may mean. The only one is taken at once, unless its name only resembles the text. */
export function FoundPanel({ find, fields }: { find: string; fields: Partial<RequestFields> }) {
  const navigate = useNavigate();
  const query = useQuery(read(['search', find], '/admin/search', { q: find }));
  const { items = [], nearest = false } = query.data ?? {};
  const found = foundRequests(items, fields);
  const only = found.length === 1 && !nearest ? found[0] : undefined;
  useEffect(() => {
    if (only) void navigate({ to: '/explain', search: only.search as never, replace: true });
  }, [query.data]);
  if (found.length === 0 && !nearest && outcomesOf(items).length > 0)
    return <OutcomePanel requestId={find} />;
  return (
    <Panel title={nearest && found.length > 0 ? 'Nothing is called that. Did you mean:' : 'Which key?'}>
      <Loaded query={query}>
        {() =>
          found.length === 0 ? (
            <Empty title="No key or request found">
              Refused requests are stored for a while, the newest of each key; the last four are letters and
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
