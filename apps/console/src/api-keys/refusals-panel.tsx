import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../api/client';
import { Empty, Loaded } from '../components/loading';
import { capitalised, formatNumber, humanize } from '../components/number';
import { Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';
import { useMay } from '../api/me';
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
            <SimpleTable
              name="Recent refusals"
              rows={groupRefusals(items)}
              rowId={({ newest }) => newest.request_id}
              columns={[
                { header: 'Latest', cell: ({ newest }) => <Time at={newest.at} relative /> },
                { header: 'Requests', number: true, cell: ({ count }) => formatNumber(count) },
                { header: 'Why', cell: ({ newest }) => capitalised(humanize(newest.reason)) },
                { header: 'Response', cell: ({ newest }) => newest.status },
                { header: 'Operation', className: 'gr-mono', cell: ({ newest }) => newest.route },
                { header: 'From', className: 'gr-mono', cell: ({ newest }) => newest.address },
                { header: 'What to do', cell: (group) => <WhatToDo keyId={keyId} group={group} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function WhatToDo({ keyId, group: { newest } }: { keyId: string; group: RefusalGroup }) {
  const may = useMay();
  const { gate, route, address } = newest;
  const [method = 'GET', path = ''] = route.split(' ');
  // Some requests come from an address that is unknown, or not counted one by one.
  if (!/[.:]/.test(address)) return null;
  return (
    <>
      {may('keys.explain') && (
        <Link to="/api-keys/$keyId/explain" params={{ keyId }} search={{ address, method, path } as never}>
          Explain
        </Link>
      )}
      {may('keys.write') && gate === 'ip' && (
        <>
          {' · '}
          <Link to="/api-keys/$keyId/allow-list" params={{ keyId }} search={{ add: address } as never}>
            Add address
          </Link>
        </>
      )}
    </>
  );
}
