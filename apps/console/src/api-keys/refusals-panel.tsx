import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { capitalised, formatNumber, humanize } from '../components/number';
import { Panel } from '../components/page';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';
import { groupRefusals } from './group-refusals';
import { gateName, refusalsQuery, Repair } from './key-standing';

/** The last requests that a key was refused, with a way to find out why and to let the address in. */
export function RefusalsPanel({ keyId }: { keyId: string }) {
  const { data } = useQuery(refusalsQuery(keyId));
  // The sentence of the screen says that there are none.
  if (!data?.items.length) return null;
  return (
    <Panel title="Recent refusals">
      <SimpleTable
        name="Recent refusals"
        rows={groupRefusals(data.items)}
        rowId={({ newest }) => newest.request_id}
        columns={[
          {
            header: 'Gate, and why',
            cell: ({ newest: { gate, reason } }) => (
              <>
                <strong>{gateName(gate)}</strong> {capitalised(humanize(reason))}
              </>
            ),
          },
          { header: 'Response', number: true, cell: ({ newest }) => newest.status },
          { header: 'Operation', className: 'gr-mono', cell: ({ newest }) => newest.route },
          { header: 'From', className: 'gr-mono', cell: ({ newest }) => newest.address },
          { header: 'Requests', number: true, cell: ({ count }) => formatNumber(count) },
          { header: 'Latest', number: true, cell: ({ newest }) => <Time at={newest.at} relative /> },
          {
            header: 'What to do',
            cell: ({ newest }) => (
              <Group gap={4}>
                <Repair keyId={keyId} refusal={newest} />
              </Group>
            ),
          },
        ]}
      />
    </Panel>
  );
}
