import { SimpleTable } from '../components/simple-table';
import type { Schema } from '../api/client';
import { Empty } from '../components/loading';
import { UserText } from '../components/name';
import { Time } from '../components/time';

/** The entries of a stored list. */
export function EntryTable({ entries }: { entries: Schema['EntryResponse'][] | null }) {
  if (entries === null) return <Empty title="No list">The key can be used from every address.</Empty>;
  return (
    <SimpleTable
      name="Entries of the allow-list"
      rows={entries}
      rowId={(entry) => entry.cidr}
      columns={[
        { header: 'Addresses', className: 'gr-mono', cell: (entry) => entry.cidr },
        { header: 'Note', cell: (entry) => entry.note !== null && <UserText>{entry.note}</UserText> },
        {
          header: 'Ends',
          cell: (entry) => (
            <>
              <Time at={entry.ends_at} />
              {entry.ended && ', has ended'}
            </>
          ),
        },
        {
          header: 'Added',
          cell: (entry) => (
            <>
              <Time at={entry.added_at} never="" /> <bdi>{entry.added_by}</bdi>
            </>
          ),
        },
      ]}
    />
  );
}
