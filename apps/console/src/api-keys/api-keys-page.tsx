import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { asQuery, filtersOf, useListSearch } from '../components/list-search';
import { Name } from '../components/name';
import { plural, formatNumber } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ReceiptNotice } from '../components/receipt-notice';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { BulkDisableDialog, type BulkResult } from './bulk-disable-dialog';
import { KeyBadge } from './key-badge';
import { KeyFilters } from './key-filters';

type ApiKey = Schema['ApiKeyResponse'];

export const COLUMNS: Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <Link to="/api-keys/$keyId" params={{ keyId: id }}>
        <Name>{name}</Name>
      </Link>
    ),
  },
  {
    id: 'account',
    header: 'Account',
    cell: ({ account }) => (
      <Link to="/accounts/$accountId" params={{ accountId: account.id }}>
        <Name>{account.name}</Name>
      </Link>
    ),
  },
  { id: 'hint', header: 'Ends in', cell: ({ hint }) => <span className="gr-mono gr-hint">{hint}</span> },
  { id: 'status', header: 'Status', cell: (key) => <KeyBadge apiKey={key} /> },
  {
    id: 'list',
    header: 'Allow-list',
    cell: ({ allowed_ips }) => (allowed_ips ? plural(allowed_ips.length, 'entry', 'entries') : 'none'),
  },
  {
    id: 'credits',
    header: 'Credits',
    number: true,
    cell: ({ credits: { used, limit } }) =>
      `${formatNumber(used)}${limit === null ? '' : ` / ${formatNumber(limit)}`}`,
  },
  {
    id: 'used',
    header: 'Last use',
    sort: 'last_used_at',
    cell: ({ last_used_at, last_used_from }) => (
      <>
        <Time at={last_used_at} relative />
        {last_used_from && <div className="gr-mono gr-dimmed">{last_used_from}</div>}
      </>
    ),
  },
  {
    id: 'expires',
    header: 'Expires',
    sort: 'expires_at',
    cell: ({ expires_at }) => <Time at={expires_at} dateOnly />,
  },
  {
    id: 'created',
    header: 'Created',
    sort: 'created_at',
    cell: ({ created_at }) => <Time at={created_at} dateOnly />,
  },
];

/** All keys: searched, filtered, exported, disabled in bulk. */
export function ApiKeysPage() {
  const list = useListSearch();
  const may = useMay();
  const [disabling, disable] = useDisclosure();
  const [result, setResult] = useState<BulkResult | null>(null);
  const filters = filtersOf(list.search);
  const query = useQuery({
    queryKey: ['api-keys', list.search],
    queryFn: () => unwrap(api.GET('/admin/api-keys', { params: { query: asQuery(list.search) } })),
    placeholderData: keepPreviousData,
  });
  const isNarrowed = Object.keys(filters).length > 0;
  return (
    <>
      <PageHeader title="API keys" hint="Create a new key on the page of its account.">
        <Button
          component="a"
          variant="default"
          href={`/admin/api-keys/export?${new URLSearchParams(filters as Record<string, string>).toString()}`}
          download
        >
          Export as CSV
        </Button>
        {may('keys.write') && (
          <Button
            variant="default"
            disabled={!isNarrowed}
            title={isNarrowed ? undefined : 'Filter first: disabling needs at least one condition.'}
            onClick={disable.open}
          >
            Disable all that match…
          </Button>
        )}
      </PageHeader>
      <Stack>
        {result && (
          <ReceiptNotice
            receipt={result.receipt}
          >{`${plural(result.disabled, 'key')} disabled.`}</ReceiptNotice>
        )}
        <Panel>
          <Stack>
            <KeyFilters list={list} />
            <DataTable
              name="API keys"
              query={query}
              columns={COLUMNS}
              rowId={({ id }) => id}
              list={list}
              defaultSort="-created_at"
              empty="No key matches these filters."
            />
          </Stack>
        </Panel>
      </Stack>
      {disabling && <BulkDisableDialog filters={filters} onDone={setResult} onClose={disable.close} />}
    </>
  );
}
