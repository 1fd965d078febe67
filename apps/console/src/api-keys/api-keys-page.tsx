import { describeAll, type ListSearch, toApiValues } from '../components/list-filters';
import { Button, Stack } from '@mantine/core';
import { DownloadButton } from '../components/download-button';
import { useState } from 'react';
import { api } from '../api/client';
import { FilteredList } from '../components/filtered-list';
import { asQuery, asQueryText, filtersOf } from '../components/list-search';
import { listing, useListing } from '../components/listing';
import { plainName } from '../components/name';
import { plural } from '../components/number';
import { NearestNames } from '../components/nearest-names';
import { PageHeader, Panel } from '../components/page';
import { ReceiptBanner } from '../components/receipt-banner';
import { useSelection } from '../components/selection';
import { useMay } from '../api/me';
import { BulkChangesPanel } from './bulk-changes-panel';
import { BulkChangeDialog, type BulkResult } from './bulk-change-dialog';
import { BULK_ACTIONS, BULK_TEXTS, describeChange, type BulkAction } from './bulk-edit';
import { KEY_COLUMNS } from './key-columns';
import { KEY_FILTERS, KEY_PRESETS } from './key-filters';

const LISTING = listing(['api-keys'], '/admin/api-keys', KEY_FILTERS);

export const { firstQueries } = LISTING;

/** All keys: searched, filtered, exported, changed in bulk. */
export function ApiKeysPage() {
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
            views={{ screen: 'api-keys', presets: KEY_PRESETS, count: countKeys }}
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
            rowId={({ id }) => id}
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

const countKeys = (search: ListSearch) =>
  api.GET('/admin/api-keys', asQuery(toApiValues({ ...search, limit: '1' }, KEY_FILTERS)));

/** `You disabled 3 keys (unused). 1 key was skipped.` */
function outcomeText({ action, changed, left_alone, ...edit }: BulkResult): string {
  const value = edit.disable_reason ?? edit.expires_at ?? edit.credit_limit ?? edit.tag ?? null;
  const done = `You ${describeChange({ action, value }, plural(changed, 'key'))}.`;
  if (left_alone === 0) return done;
  return `${done} ${plural(left_alone, 'key was', 'keys were')} left alone.`;
}
