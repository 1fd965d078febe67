import { Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { describeAll } from '../components/list-filters';
import { asQueryText, filtersOf, useListSearch } from '../components/list-search';
import { Name, plainName } from '../components/name';
import { plural, formatNumber } from '../components/number';
import { PageHeader, Panel } from '../components/page';
import { ReceiptNotice } from '../components/receipt-notice';
import { SavedViews } from '../components/saved-views';
import { SelectionBar, useSelection } from '../components/selection';
import { Time } from '../components/time';
import { useMay } from '../session/me';
import { BulkChangesPanel } from './bulk-changes-panel';
import { BulkDisableDialog, type BulkResult } from './bulk-disable-dialog';
import { KeyBadge } from './key-badge';
import { KEY_FILTERS, KEY_PRESETS } from './key-filters';

type ApiKey = Schema['ApiKeyResponse'];

export const COLUMNS: Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ id, name, hint }) => (
      <>
        <Link to="/api-keys/$keyId" params={{ keyId: id }}>
          <Name>{name}</Name>
        </Link>
        <div className="gr-mono gr-hint gr-dimmed">{hint}</div>
      </>
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
  { id: 'status', header: 'Status', cell: (key) => <KeyBadge apiKey={key} /> },
  {
    id: 'list',
    header: 'Allow-list',
    cell: ({ allowed_ips }) => (allowed_ips ? plural(allowed_ips.length, 'entry', 'entries') : 'none'),
  },
  {
    id: 'credits',
    header: 'Credits',
    sort: 'credit_share',
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
  const list = useListSearch(KEY_FILTERS);
  const selection = useSelection(list);
  const may = useMay();
  const [disabling, disable] = useDisclosure();
  const [result, setResult] = useState<BulkResult | null>(null);
  const filters = filtersOf(list.query);
  const query = useQuery({
    queryKey: ['api-keys', list.search],
    queryFn: () => unwrap(api.GET('/admin/api-keys', { params: { query: list.query } })),
    placeholderData: keepPreviousData,
  });
  const isNarrowed = Object.keys(filters).length > 0;
  const mayWrite = may('keys.write');
  const picked = plural(selection.ids.size, 'selected key');
  const done = (change: BulkResult) => {
    setResult(change);
    selection.clear();
  };
  return (
    <>
      <PageHeader title="API keys" hint="Create a new key on the page of its account.">
        <Button
          component="a"
          variant="default"
          href={`/admin/api-keys/export?${asQueryText(filters)}`}
          download
        >
          Export as CSV
        </Button>
      </PageHeader>
      <Stack>
        {result && (
          <ReceiptNotice
            receipt={result.receipt}
          >{`${plural(result.disabled, 'key')} disabled.`}</ReceiptNotice>
        )}
        <BulkChangesPanel madeId={result?.change_id ?? null} mayWrite={mayWrite} />
        <Panel>
          <Stack>
            <SavedViews screen="api-keys" list={list} presets={KEY_PRESETS} />
            <FilterBar list={list} />
            <SelectionBar
              selection={selection}
              shown={query.data?.items.length ?? 0}
              total={query.data?.total}
              canSelectAll={isNarrowed}
            >
              <Button size="compact-sm" color="red.9" onClick={disable.open}>
                Disable…
              </Button>
            </SelectionBar>
            <DataTable
              name="API keys"
              query={query}
              columns={COLUMNS}
              rowId={({ id }) => id}
              rowName={({ name }) => plainName(name)}
              list={list}
              selection={mayWrite ? selection : undefined}
              defaultSort="-created_at"
              empty="No key matches these filters."
            />
          </Stack>
        </Panel>
      </Stack>
      {disabling && (
        <BulkDisableDialog
          filters={selection.all ? filters : { ids: [...selection.ids].join(',') }}
          what={selection.all ? `those that match ${describeAll(list.search, KEY_FILTERS)}` : `the ${picked}`}
          onDone={done}
          onClose={disable.close}
        />
      )}
    </>
  );
}
