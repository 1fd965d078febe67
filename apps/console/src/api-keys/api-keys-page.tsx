import { Button, Stack } from '@mantine/core';
import { DownloadButton } from '../components/download-button';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { readPage, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { Tags } from '../components/labels';
import { describeAll } from '../components/list-filters';
import { asQueryText, filtersOf, useListSearch } from '../components/list-search';
import { Name, plainName } from '../components/name';
import { plural, formatNumber } from '../components/number';
import { NearestNames } from '../components/nearest-names';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/receipt-banner';
import { SavedViews } from '../components/saved-views';
import { SelectionBar, useSelection } from '../components/selection';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import { BulkChangesPanel } from './bulk-changes-panel';
import { BulkChangeDialog, type BulkResult } from './bulk-change-dialog';
import { BULK_ACTIONS, BULK_TEXTS, describeChange, type BulkAction } from './bulk-edit';
import { KeyBadge } from './key-badge';
import { KEY_FILTERS, KEY_PRESETS } from './key-filters';
import { LAST_USE_COLUMN } from './last-use-column';

type ApiKey = Schema['ApiKeyResponse'];

export const COLUMNS: Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    cell: ({ id, name, hint, tags }) => (
      <>
        <Link to="/api-keys/$keyId" params={{ keyId: id }}>
          <Name>{name}</Name>
        </Link>
        <div className="gr-mono gr-hint gr-dimmed">{hint}</div>
        <Tags tags={tags} to="/api-keys" />
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
  LAST_USE_COLUMN,
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

/** All keys: searched, filtered, exported, changed in bulk. */
export function ApiKeysPage() {
  const list = useListSearch(KEY_FILTERS);
  const selection = useSelection(list);
  const may = useMay();
  const [changing, setChanging] = useState<BulkAction | null>(null);
  const [result, setResult] = useState<BulkResult | null>(null);
  const filters = filtersOf(list.query);
  const query = useQuery(readPage(['api-keys', list.search], '/admin/api-keys', { query: list.query }));
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
        <DownloadButton href={`/admin/api-keys/export?${asQueryText(filters)}`}>Export as CSV</DownloadButton>
      </PageHeader>
      <Stack>
        {result && (
          <ReceiptBanner of={null} receipt={result.receipt}>
            {outcomeText(result)}
          </ReceiptBanner>
        )}
        <BulkChangesPanel createdId={result?.change_id ?? null} mayWrite={mayWrite} />
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
              {BULK_ACTIONS.map((action) => (
                <Button
                  key={action}
                  size="compact-sm"
                  {...(BULK_TEXTS[action].danger ? { color: 'red' } : { variant: 'default' })}
                  onClick={() => setChanging(action)}
                >
                  {BULK_TEXTS[action].button}
                </Button>
              ))}
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
              empty={
                <>
                  No key matches these filters.
                  <NearestNames kind="key" typed={list.search.search} />
                </>
              }
            />
          </Stack>
        </Panel>
      </Stack>
      {changing && (
        <BulkChangeDialog
          action={changing}
          filters={selection.all ? filters : { ids: [...selection.ids].join(',') }}
          what={selection.all ? `those that match ${describeAll(list.search, KEY_FILTERS)}` : `the ${picked}`}
          onDone={done}
          onClose={() => setChanging(null)}
        />
      )}
    </>
  );
}

/** `You disabled 3 keys (unused). 1 key was skipped.` */
function outcomeText({ action, changed, left_alone, ...edit }: BulkResult): string {
  const value = edit.disable_reason ?? edit.expires_at ?? edit.credit_limit ?? edit.tag ?? null;
  const done = `You ${describeChange({ action, value }, plural(changed, 'key'))}.`;
  if (left_alone === 0) return done;
  return `${done} ${plural(left_alone, 'key was', 'keys were')} left alone.`;
}
