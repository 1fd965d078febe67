import { SimpleTable } from '../components/simple-table';
import type { ReactNode } from 'react';
import type { Schema } from '../api/client';
import { formatNumber } from '../components/number';
import { Time } from '../components/time';

const SHOWN = 20;

/** Addresses with their requests; the first of them when there are many. */
export function AddressTable({
  title,
  addresses,
  total = addresses.length,
  action,
}: {
  title: string;
  addresses: readonly Schema['AddressResponse'][];
  /** How many there are, where only the first were requested. */
  total?: number;
  action?: (address: string) => ReactNode;
}) {
  return (
    <>
      <SimpleTable
        name={title}
        rows={addresses.slice(0, SHOWN)}
        rowId={(use) => use.address}
        columns={[
          { header: title, className: 'gr-mono', cell: (use) => use.address },
          { header: 'Requests', number: true, cell: (use) => formatNumber(use.requests) },
          { header: 'Last', cell: (use) => <Time at={use.last_seen} relative /> },
          action && { header: '', cell: (use) => action(use.address) },
        ]}
      />
      {total > SHOWN && <div className="gr-dimmed">And {formatNumber(total - SHOWN)} more.</div>}
    </>
  );
}
