import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { read, type Schema, useMay } from '../api/client';
import { isInside } from '../allow-list/address-map';
import { Panel } from '../components/page';
import type { ListSearch } from '../components/list-filters';
import { capitalised, formatNumber, humanize } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/inline';
import { gateName, SETTINGS } from './explanation';
import { groupRefusals, type Refusal } from './group-refusals';

export const refusalsQuery = (keyId: string) =>
  read(['refusals', keyId], '/admin/api-keys/{key_id}/refusals', keyId);

/** Gates that a setting of the key opens. */
const OF_THE_KEY = ['limit', 'scope', 'model', 'voice'];

type Key = Pick<Schema['ApiKeyDetailResponse'], 'id' | 'allowed_ips'>;

/** What lets the requests of a refusal in, or says why they are not. */
export function Repair({ apiKey, refusal }: { apiKey: Key; refusal: Refusal }) {
  const { id: keyId, allowed_ips: list } = apiKey;
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
  // A key without a list would get one that lets in this address alone.
  const isListed = gate === 'ip' && list ? isInside(address, list) : null;
  const request = { request: id, address, method, path, ...(cost !== null && { cost: String(cost) }) };
  return (
    <>
      {may('keys.explain') && step('Explain', '/explain', request)}
      {isListed && 'on the list now'}
      {mayWrite && isListed === false && step('Add address', '/allow-list', { add: address })}
      {mayWrite && OF_THE_KEY.includes(gate) && step('Edit the key', '', { do: `edit.${SETTINGS[gate]}` })}
    </>
  );
}

/** The newest refusals of a key by cause: at most so many; `none` is shown without any. */
export function RefusalsPanel(props: { apiKey: Key; most?: number; none?: ReactNode }) {
  const { apiKey, most, none } = props;
  const { data } = useQuery(refusalsQuery(apiKey.id));
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
                <Repair apiKey={apiKey} refusal={newest} />
              </Group>
            ),
          },
        ]}
      />
    </Panel>
  );
}
