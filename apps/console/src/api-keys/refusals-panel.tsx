import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client';
import { Empty, Loaded } from '../components/loading';
import { words } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';

/** The last requests that a key was refused. */
export function RefusalsPanel({ keyId }: { keyId: string }) {
  const query = useQuery({
    queryKey: ['refusals', keyId],
    queryFn: () =>
      unwrap(api.GET('/admin/api-keys/{key_id}/refusals', { params: { path: { key_id: keyId } } })),
  });
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
                    <th>When</th>
                    <th>Why</th>
                    <th>Response</th>
                    <th>Operation</th>
                    <th>From</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((refusal) => (
                    <tr key={refusal.request_id}>
                      <td data-label="When">
                        <Time at={refusal.at} relative />
                      </td>
                      <td data-label="Why">
                        {refusal.gate}: {words(refusal.reason)}
                      </td>
                      <td data-label="Response">{refusal.status}</td>
                      <td data-label="Operation" className="gr-mono">
                        {refusal.route}
                      </td>
                      <td data-label="From" className="gr-mono">
                        {refusal.address}
                      </td>
                    </tr>
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
