import type { Schema } from '../api/client';
import { Empty } from '../components/loading';
import { Foreign } from '../components/name';
import { Time } from '../components/time';

/** The entries of a stored list. */
export function EntryTable({ entries }: { entries: Schema['EntryResponse'][] | null }) {
  if (entries === null) return <Empty title="No list">The key can be used from every address.</Empty>;
  return (
    <table className="gr-table gr-stacks" aria-label="Entries of the allow-list">
      <thead>
        <tr>
          <th>Addresses</th>
          <th>Note</th>
          <th>Ends</th>
          <th>Added</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.cidr}>
            <td data-label="Addresses" className="gr-mono">
              {entry.cidr}
            </td>
            <td data-label="Note">{entry.note !== null && <Foreign>{entry.note}</Foreign>}</td>
            <td data-label="Ends">
              <Time at={entry.ends_at} />
              {entry.ended && ', has ended'}
            </td>
            <td data-label="Added">
              <Time at={entry.added_at} never="" /> <bdi>{entry.added_by}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
