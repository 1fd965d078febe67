import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { read, useMay } from '../api/client';
import { Panel } from '../components/page';
import type { ListSearch } from '../components/list-filters';
import { capitalised, formatNumber, humanize } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/inline';
import { GATE_NAMES, SETTINGS } from './explanation';
import { groupRefusals, type Refusal } from './group-refusals';

export const refusalsQuery = (keyId: string) =>
  read(['refusals', keyId], '/admin/api-keys/{key_id}/refusals', keyId);

/** Gates that a setting of the key opens. */
const OF_THE_KEY = ['limit', 'scope', 'model', 'voice'];

/** What lets the requests of a refusal in, or says why they are not. */
export function Repair({ keyId, refusal }: { keyId: string; refusal: Refusal }) {
  const { gate, route, address, cost, request_id: id } = refusal;
  const may = useMay();
  const [method = 'GET', path = ''] = route.split(' ');
  // Some requests come from an address that is unknown, or not counted one by one.
  if (!/[.:]/.test(address)) return null;
  const step = (label: string, to: '' | '/explain' | '/allow-list', search: ListSearch) => (
    <Button
      size="compact-xs"
      variant="default"
      renderRoot={(props) => (
        <Link to={`/api-keys/$keyId${to}`} params={{ keyId }} search={search as never} {...props} />
      )}
    >
      {label}
    </Button>
  );
  const mayWrite = may('keys.write');
  const request = { request: id, address, method, path, ...(cost !== null && { cost: String(cost) }) };
  return (
    <>
      {may('keys.explain') && step('Explain', '/explain', request)}
      {mayWrite && gate === 'ip' && step('Add address', '/allow-list', { add: address })}
      {mayWrite && OF_THE_KEY.includes(gate) && step('Edit the key', '', { do: `edit.${SETTINGS[gate]}` })}
    </>
  );
}

const gateName = (gate: string) => (GATE_NAMES as Record<string, string>)[gate] ?? gate;

/** The newest refusals of a key by cause: at most so many; `none` is shown without any. */
export function RefusalsPanel(props: { keyId: string; most?: number; none?: ReactNode }) {
  const { keyId, most, none } = props;
  const { data } = useQuery(refusalsQuery(keyId));
  if (!data?.items.length) return data && none;
  return (
    <Panel title="Recent refusals">
      <SimpleTable
        name="Recent refusals"
        rows={groupRefusals(data.items).slice(0, most)}
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
