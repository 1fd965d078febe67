import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Empty, Panel } from '../components/page';
import { UserText } from '../components/name';
import { formatNumber, humanize, plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Time } from '../components/time';

type Credits = Schema['AccountCreditsResponse'];
type Grant = Credits['prepaid']['grants'][number];

/** The prepaid credits of an account: what is left of each grant, in the order in which charges take of them. */
export function PrepaidPanel({
  account,
  prepaid: { left, used, grants },
  mayChange,
  actions,
  onRevoked,
}: {
  account: { id: string; name: string; version: number };
  prepaid: Credits['prepaid'];
  mayChange: boolean;
  actions: ReactNode;
  onRevoked: (text: string, saved: Credits) => void;
}) {
  const [revoked, setRevoked] = useState<Grant>();
  if (grants.length === 0 && !actions) return null;
  return (
    <Panel title="Prepaid credits" actions={actions}>
      {grants.length === 0 ? (
        <Empty title="None">They do not end with the billing period, and are used behind its credits.</Empty>
      ) : (
        <>
          <p>
            <strong>{plural(left, 'credit')}</strong> left. {plural(used, 'credit')} used in this period.
          </p>
          <SimpleTable
            name="Prepaid credits"
            rows={grants}
            rowId={({ id }) => id}
            columns={[
              { header: 'Granted', cell: ({ granted_at }) => <Time at={granted_at} dateOnly /> },
              {
                header: 'Left',
                number: true,
                cell: ({ remaining, amount }) => `${formatNumber(remaining)} of ${formatNumber(amount)}`,
              },
              {
                header: 'Ends',
                cell: ({ ends_at, status }) =>
                  status === 'live' ? ends_at ? <Time at={ends_at} /> : 'never' : humanize(status),
              },
              {
                header: 'Reason',
                cell: ({ reason, granted_by }) => (
                  <>
                    <UserText>{reason ?? ''}</UserText> ({granted_by})
                  </>
                ),
              },
              {
                header: '',
                cell: (grant) =>
                  mayChange &&
                  grant.status === 'live' && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Take back: ${formatNumber(grant.remaining)} prepaid credits`}
                      onClick={() => setRevoked(grant)}
                    >
                      Take back…
                    </Button>
                  ),
              },
            ]}
          />
        </>
      )}
      {revoked && (
        <ActionDialog
          title={`Take back ${plural(revoked.remaining, 'prepaid credit')}`}
          of={account.name}
          consequence="What charges have taken of this grant stays used. What is left of it cannot be used any more."
          action="Take them back"
          danger
          onConfirm={async (reason) => {
            const saved = await revoke(account, revoked, reason);
            onRevoked(
              `${plural(saved.prepaid.grants.find(({ id }) => id === revoked.id)?.revoked ?? 0, 'prepaid credit')} taken back.`,
              saved,
            );
          }}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </Panel>
  );
}

function revoke(account: { id: string; version: number }, { id }: Grant, reason: string) {
  return api.POST(
    '/admin/accounts/{account_id}/prepaid-credits/{grant_id}/revoke',
    { account_id: account.id, grant_id: id },
    { reason },
    account,
  );
}
