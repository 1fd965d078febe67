import { useQuery } from '@tanstack/react-query';
import { readPage, type Schema } from '../api/client';
import { KeyName, Person, plainName, Time } from '../components/inline';
import type { Column } from '../components/data-table';
import { FilteredList } from '../components/filtered-list';
import type { Filter } from '../components/list-filters';
import { useListSearch } from '../components/list-search';
import { Banner } from '../components/banner';
import { plural, humanize, signed } from '../components/number';
import { Panel } from '../components/page';
import { RowActions } from '../components/row-actions';

type Line = Schema['LedgerLineResponse'];
type Key = Schema['AccountCreditsResponse']['keys'][number];
type OnRequest = (line: Line) => void;

const KINDS: Record<Line['kind'], string> = {
  charge: 'charge',
  refund: 'refund',
  hold: 'hold',
  release: 'end of a hold',
  grant: 'grant',
  adjustment: 'adjustment',
};

function columnsOf(keys: readonly Key[], onRequest: OnRequest | undefined): Column<Line>[] {
  const names = new Map(keys.map(({ key_id, name }) => [key_id, name]));
  return [
    { id: 'at', header: 'When', cell: ({ at }) => <Time at={at} /> },
    { id: 'kind', header: 'What', cell: ({ kind }) => KINDS[kind] },
    { id: 'amount', header: 'Credits', number: true, cell: ({ amount }) => signed(amount) },
    { header: 'Operation', cell: ({ operation }) => humanize(operation) },
    {
      id: 'who',
      header: 'By',
      cell: ({ key_id, actor }) => (
        <>
          {actor !== null && (
            <div>
              <Person by={actor} />
            </div>
          )}
          {key_id !== null && <KeyName id={key_id} name={names.get(key_id) ?? key_id} />}
        </>
      ),
    },
    {
      id: 'request',
      header: 'Request id',
      cell: ({ request_id }) => (
        <span className="gr-mono" style={{ overflowWrap: 'anywhere' }}>
          {request_id}
        </span>
      ),
    },
    ...(onRequest
      ? [
          {
            header: 'Actions',
            cell: (line: Line) =>
              line.kind === 'charge' && (
                <RowActions
                  actions={{ request: { label: 'Request a credit…', onPick: () => onRequest(line) } }}
                  of={line.request_id}
                />
              ),
          },
        ]
      : []),
  ];
}

function filtersFor(keys: readonly Key[]): Filter[] {
  return [
    { name: 'kind', label: 'What', choices: KINDS },
    {
      name: 'key_id',
      label: 'Key',
      choices: keys.map(({ key_id, name }) => ({ value: key_id, label: plainName(name).slice(0, 60) })),
    },
    { name: 'from', label: 'From', kind: 'date' },
    { name: 'to', label: 'Before', kind: 'date' },
  ];
}

export function LedgerPanel(props: {
  accountId: string;
  keys: readonly Key[];
  archived: Schema['AccountCreditsResponse']['archived'];
  onRequest?: OnRequest;
}) {
  const { accountId, keys, archived, onRequest } = props;
  const list = useListSearch(filtersFor(keys));
  const query = useQuery(
    readPage(['ledger', accountId, list.search], '/admin/accounts/{account_id}/ledger', {
      account_id: accountId,
      ...(list.search.kind === undefined && { folded: 'true' as const }),
      ...(list.query as object),
    }),
  );
  return (
    <Panel title="Ledger" gap="md">
      <FilteredList
        name="Ledger"
        query={query}
        columns={columnsOf(keys, onRequest)}
        list={list}
        empty="No line matches."
      />
      {archived !== null && (
        <Banner title={`${plural(archived.lines, 'older line')} archived.`}>
          They are not in this list. The newest of their billing periods began on{' '}
          <Time at={archived.newest_period_start} dateOnly />. Operations can restore a month:{' '}
          <code>greenroom archive restore</code>.
        </Banner>
      )}
    </Panel>
  );
}
