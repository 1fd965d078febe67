import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { read } from '../api/read';
import { Empty, Loaded } from '../components/loading';
import { capitalised, formatNumber, words } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { groupRefusals, type RefusalGroup } from './group-refusals';

/** The last requests that a key was refused, with a way to find out why and to let the address in. */
export function RefusalsPanel({ keyId }: { keyId: string }) {
  const query = useQuery(
    read(['refusals', keyId], '/admin/api-keys/{key_id}/refusals', { path: { key_id: keyId } }),
  );
  return (
    <Panel title="Recent refusals">
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No request has been refused lately" />
          ) : (
            <div className="gr-scroll" role="region" aria-label="Recent refusals, the table" tabIndex={0}>
              <table className="gr-table gr-stacks" aria-label="Recent refusals">
                <thead>
                  <tr>
                    <th>Latest</th>
                    <th className="gr-number">Requests</th>
                    <th>Why</th>
                    <th>Response</th>
                    <th>Operation</th>
                    <th>From</th>
                    <th>What to do</th>
                  </tr>
                </thead>
                <tbody>
                  {groupRefusals(items).map((group) => (
                    <RefusalRow key={group.newest.request_id} keyId={keyId} group={group} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

function RefusalRow({ keyId, group: { newest, count } }: { keyId: string; group: RefusalGroup }) {
  const may = useMay();
  const { at, gate, reason, status, route, address } = newest;
  const [method = 'GET', path = ''] = route.split(' ');
  // Some requests come from an address that is unknown, or not counted one by one.
  const isAddress = /[.:]/.test(address);
  return (
    <tr>
      <td data-label="Latest">
        <Time at={at} relative />
      </td>
      <td data-label="Requests" className="gr-number">
        {formatNumber(count)}
      </td>
      <td data-label="Why">{capitalised(words(reason))}</td>
      <td data-label="Response">{status}</td>
      <td data-label="Operation" className="gr-mono">
        {route}
      </td>
      <td data-label="From" className="gr-mono">
        {address}
      </td>
      <td data-label="What to do">
        <div>
          {may('keys.explain') && isAddress && (
            <Link
              to="/api-keys/$keyId/explain"
              params={{ keyId }}
              search={{ address, method, path } as never}
            >
              Explain
            </Link>
          )}
          {may('keys.write') && isAddress && gate === 'ip' && (
            <>
              {' · '}
              <Link to="/api-keys/$keyId/allow-list" params={{ keyId }} search={{ add: address } as never}>
                Add address
              </Link>
            </>
          )}
        </div>
      </td>
    </tr>
  );
}
