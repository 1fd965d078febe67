import { DISABLE_REASONS } from '@app/domain/keys/disable-reasons';
import { FINDING_KINDS, titleOf } from '@app/domain/keys/key-findings';
import { KEY_STATUSES } from '@app/domain/keys/key-status';
import { PERMISSIONS } from '@app/domain/keys/permissions';
import { REFUSING_GATES } from '@app/domain/traffic/traffic';
import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { LABEL_FILTERS, MANAGER_FILTER } from '../components/labels';
import { type Filter, describeAll } from '../components/list-filters';
import type { Preset } from '../components/saved-views';
import { DownloadButton } from '../components/download-button';
import { useMay } from '../api/client';
import { FilteredList } from '../components/filtered-list';
import { asQueryText, filtersOf, listing, useListing } from '../components/list-search';
import { plainName } from '../components/inline';
import { plural } from '../components/number';
import { NearestNames } from '../components/nearest-names';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/banner';
import { useSelection } from '../components/selection';
import { GATE_NAMES } from '../explain/explanation';
import { BulkChangesPanel } from './bulk-changes-panel';
import {
  BulkChangeDialog,
  type BulkResult,
  BULK_ACTIONS,
  BULK_TEXTS,
  type BulkAction,
} from './bulk-change-dialog';
import { KEY_COLUMNS } from './key-columns';

const FINDING_CHOICES = FINDING_KINDS.map((value) => ({ value, label: titleOf(value) }));

const PERCENT = ['50', '80', '90', '100'];

export const KEY_FILTERS: readonly Filter[] = [
  { name: 'search', label: 'Name or id', kind: 'search' },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'status', label: 'Status', choices: KEY_STATUSES },
  { name: 'disable_reason', label: 'Disabled because', choices: DISABLE_REASONS },
  { name: 'hint', label: 'Ends in', kind: 'text', placeholder: 'Last four' },
  { name: 'permission', label: 'May do', choices: PERMISSIONS.map((value) => ({ value, label: value })) },
  { name: 'has_allow_list', label: 'Allow-list', choices: { true: 'with', false: 'without' } },
  { name: 'finding', label: 'Finding', choices: FINDING_CHOICES },
  {
    name: 'min_credits_percent',
    label: 'Credits used',
    choices: PERCENT.map((value) => ({ value, label: `${value}% or more` })),
  },
  MANAGER_FILTER,
  ...LABEL_FILTERS,
  { name: 'used_since', label: 'Used since', kind: 'date' },
  { name: 'unused_since', label: 'Not used since', kind: 'date' },
  { name: 'expiring_before', label: 'Expires before', kind: 'date' },
  {
    name: 'refused_by',
    label: 'Refused by',
    choices: REFUSING_GATES.map((value) => ({ value, label: GATE_NAMES[value] })),
  },
  { name: 'refused_since', label: 'Refused traffic since', kind: 'date' },
  { name: 'list_refused_since', label: 'Refused by its allow-list since', kind: 'date' },
  { name: 'service_account_id', label: 'Service account', kind: 'text', placeholder: 'Its id' },
];

export const KEY_PRESETS: readonly Preset[] = [
  {
    label: 'Expiring in 30 days',
    search: { status: 'enabled', expiring_before: '+30d', sort: 'expires_at' },
  },
  { label: 'Unused for 90 days', search: { status: 'enabled', unused_since: '-90d', sort: 'last_used_at' } },
  {
    label: '80 % of credits used',
    search: { status: 'enabled', min_credits_percent: '80', sort: '-credit_share' },
  },
  { label: 'Refused for credits, 7 days', search: { refused_by: 'credits', refused_since: '-7d' } },
  { label: 'Refused traffic, 7 days', search: { refused_since: '-7d' } },
];

const LISTING = listing(['api-keys'], '/admin/api-keys', KEY_FILTERS);

export const { firstQueries } = LISTING;

export default function ApiKeysPage() {
  const listed = useListing(LISTING);
  const { list } = listed;
  const selection = useSelection(list);
  const may = useMay();
  const [changing, setChanging] = useState<BulkAction | null>(null);
  const [result, setResult] = useState<BulkResult | null>(null);
  const filters = filtersOf(list.query);
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
          <FilteredList
            views={{ screen: 'api-keys', presets: KEY_PRESETS }}
            bulk={BULK_ACTIONS.map((action) => (
              <Button
                key={action}
                size="compact-sm"
                {...(BULK_TEXTS[action].danger ? { color: 'red' } : { variant: 'default' })}
                onClick={() => setChanging(action)}
              >
                {BULK_TEXTS[action].button}
              </Button>
            ))}
            name="API keys"
            {...listed}
            columns={KEY_COLUMNS}
            rowName={({ name }) => plainName(name)}
            selection={mayWrite ? selection : undefined}
            defaultSort="-created_at"
            empty={
              <>
                No key matches these filters. A key is created on the page of its account.
                <NearestNames kind="key" typed={list.search.search} />
              </>
            }
          />
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
  const done = `You ${BULK_TEXTS[action].did(plural(changed, 'key'), value)}.`;
  if (left_alone === 0) return done;
  return `${done} ${plural(left_alone, 'key was', 'keys were')} left alone.`;
}
