import type { ReactNode } from 'react';
import type { Schema } from '../api/client';
import { formatNumber } from '../components/number';
import { ActionsHead } from '../components/actions-head';
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
      <table className="gr-table gr-stacks" aria-label={title}>
        <thead>
          <tr>
            <th style={{ whiteSpace: 'normal' }}>{title}</th>
            <th className="gr-number">Requests</th>
            <th>Last</th>
            {action && <ActionsHead />}
          </tr>
        </thead>
        <tbody>
          {addresses.slice(0, SHOWN).map((use) => (
            <tr key={use.address}>
              <td data-label="Address" className="gr-mono">
                {use.address}
              </td>
              <td data-label="Requests" className="gr-number">
                {formatNumber(use.requests)}
              </td>
              <td data-label="Last">
                <Time at={use.last_seen} relative />
              </td>
              {action && <td data-label="">{action(use.address)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {total > SHOWN && <div className="gr-dimmed">And {formatNumber(total - SHOWN)} more.</div>}
    </>
  );
}
