import { DAY_MS } from '@app/domain/common/utc-days';
import { usableCredits } from '@app/domain/credits/credits-left';
import { Button, Group, Stack } from '@mantine/core';
import { DownloadButton } from '../components/download-button';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, readPage, unwrap, type Schema } from '../api/client';
import { DataTable, type Column } from '../components/data-table';
import { FilterBar } from '../components/filter-bar';
import { Tags } from '../components/labels';
import { describeAll, toApiValues, type ListSearch } from '../components/list-filters';
import {
  asQuery,
  asQueryText,
  filtersOf,
  type Listed,
  listOf,
  useListSearch,
} from '../components/list-search';
import { Meter, numberOrZero, paceOf } from '../components/meter';
import { Name, plainName } from '../components/name';
import { formatNumber, plural } from '../components/number';
import { NearestNames } from '../components/nearest-names';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/receipt-banner';
import { SavedViews } from '../components/saved-views';
import { SelectionBar, useSelection } from '../components/selection';
import { Sparkline } from '../components/sparkline';
import { StatusBadge } from '../components/status-badge';
import { Time } from '../components/time';
import { useMay } from '../api/me';
import type { FirstQueries } from '../api/first-queries';
import { BulkChangesPanel } from './bulk-changes-panel';
import { BulkChangeDialog, type BulkResult } from './bulk-change-dialog';
import { BULK_ACTIONS, BULK_TEXTS, describeChange, type BulkAction } from './bulk-edit';
import { KeyMark } from './key-badge';
import { KEY_FILTERS, KEY_PRESETS } from './key-filters';

type ApiKey = Schema['ListedApiKeyResponse'];

const SOON_DAYS = 7;

export const COLUMNS: Column<ApiKey>[] = [
  {
    id: 'name',
    header: 'Key',
    sort: 'name',
    cell: (key) => (
      <Group gap={8} wrap="nowrap">
        <KeyMark apiKey={key} />
        <Link to="/api-keys/$keyId" params={{ keyId: key.id }}>
          <Name>{key.name}</Name>
        </Link>
        <span className="gr-mono gr-hint gr-dimmed">{key.hint.replace(/^grk_/, '')}</span>
      </Group>
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
  { id: 'credits', header: 'Used', number: true, cell: ({ credits }) => numberOrZero(credits.used) },
  {
    id: 'pace',
    header: 'Pace',
    sort: 'credit_share',
    wide: 'tablet',
    cell: (key) => <KeyPace apiKey={key} />,
  },
  { id: 'limit', header: 'Limit', number: true, wide: 'tablet', cell: limitOf },
  {
    id: 'days',
    header: '14 days',
    wide: 'desk',
    cell: ({ days_in_use }) => <DaysInUse days={days_in_use} />,
  },
  {
    id: 'used',
    header: 'Last used',
    sort: 'last_used_at',
    number: true,
    wide: 'tablet',
    cell: ({ last_used_at }) => <Time at={last_used_at} relative />,
  },
  {
    id: 'list',
    header: 'Let in from',
    wide: 'tablet',
    cell: ({ allowed_ips: list }) => (
      <span className="gr-hint">{list ? plural(list.length, 'entry', 'entries') : 'any address'}</span>
    ),
  },
  { id: 'expires', header: 'Expires', sort: 'expires_at', number: true, cell: expiryOf },
  {
    id: 'tags',
    header: 'Tags',
    wide: 'desk',
    cell: ({ tags: [first, ...others] }) =>
      first !== undefined && (
        <Group gap={4} wrap="nowrap" title={[first, ...others].join(', ')}>
          <Tags tags={[first]} to="/api-keys" /> {others.length > 0 && `+${others.length}`}
        </Group>
      ),
  },
];

const limitWithGrants = ({ credits }: ApiKey) => usableCredits({ ...credits, creditLimit: credits.limit });

function limitOf(key: ApiKey) {
  const limit = limitWithGrants(key);
  return limit === null ? <span className="gr-dimmed">no limit</span> : numberOrZero(limit);
}

/** How much of its limit a key has used, and where an even pace would be. */
function KeyPace({ apiKey }: { apiKey: ApiKey }) {
  const limit = limitWithGrants(apiKey);
  if (limit === null) return null;
  const { used, period_start: start, period_end: end } = apiKey.credits;
  const share = limit === 0 ? 1 : used / limit;
  const label = `${Math.floor(share * 100)} % of ${formatNumber(limit)} credits used`;
  return <Meter share={share} pace={paceOf({ start, end })} label={label} />;
}

/** On which of the last days a key was used: a silence is seen. */
function DaysInUse({ days }: { days: ApiKey['days_in_use'] }) {
  if (days === null) return null;
  const used = days.filter(Boolean).length;
  const label = `Used on ${used} of the last ${days.length} days`;
  return <Sparkline values={days.map(Number)} label={label} />;
}

function expiryOf({ expires_at: at }: ApiKey) {
  if (at === null || Date.parse(at) - Date.now() > SOON_DAYS * DAY_MS) return <Time at={at} dateOnly />;
  return (
    <StatusBadge tone={Date.parse(at) < Date.now() ? 'calm' : 'warn'}>
      <Time at={at} relative />
    </StatusBadge>
  );
}

const listQuery = ({ search, query }: Listed) => readPage(['api-keys', search], '/admin/api-keys', { query });

export const firstQueries: FirstQueries = ({ search }) => [listQuery(listOf(search, KEY_FILTERS))];

/** All keys: searched, filtered, exported, changed in bulk. */
export function ApiKeysPage() {
  const list = useListSearch(KEY_FILTERS);
  const selection = useSelection(list);
  const may = useMay();
  const [changing, setChanging] = useState<BulkAction | null>(null);
  const [result, setResult] = useState<BulkResult | null>(null);
  const filters = filtersOf(list.query);
  const query = useQuery(listQuery(list));
  const isNarrowed = Object.keys(filters).length > 0;
  const mayWrite = may('keys.write');
  const picked = plural(selection.ids.size, 'selected key');
  const done = (change: BulkResult) => {
    setResult(change);
    selection.clear();
  };
  return (
    <>
      <PageHeader title="API keys">
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
          <Stack gap="xs">
            <FilterBar list={list} />
            <SavedViews screen="api-keys" list={list} presets={KEY_PRESETS} count={countKeys} />
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
                  No key matches these filters. A key is created on the page of its account.
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

const countKeys = (search: ListSearch) =>
  unwrap(
    api.GET('/admin/api-keys', {
      params: { query: asQuery(toApiValues({ ...search, limit: '1' }, KEY_FILTERS)) },
    }),
  );

/** `You disabled 3 keys (unused). 1 key was skipped.` */
function outcomeText({ action, changed, left_alone, ...edit }: BulkResult): string {
  const value = edit.disable_reason ?? edit.expires_at ?? edit.credit_limit ?? edit.tag ?? null;
  const done = `You ${describeChange({ action, value }, plural(changed, 'key'))}.`;
  if (left_alone === 0) return done;
  return `${done} ${plural(left_alone, 'key was', 'keys were')} left alone.`;
}
