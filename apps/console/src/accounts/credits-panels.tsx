import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { api, type Schema } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { Empty, Panel } from '../components/page';
import { Noted, Person, UserText, Time, StatusBadge } from '../components/inline';
import { formatNumber, humanize, plural } from '../components/number';
import { SimpleTable } from '../components/simple-table';
import { Banner } from '../components/banner';

type Credits = Schema['AccountCreditsResponse'];

export function PrepaidPanel(props: {
  account: { id: string; name: string; version: number };
  prepaid: Credits['prepaid'];
  mayChange: boolean;
  actions: ReactNode;
  onRevoked: (text: string, saved: Credits) => void;
}) {
  const { account, mayChange, actions, onRevoked } = props;
  const { left, used, grants } = props.prepaid;
  if (grants.length === 0 && !actions) return null;
  const revoke = async (grant_id: string, reason: string) => {
    const path = '/admin/accounts/{account_id}/prepaid-credits/{grant_id}/revoke';
    const saved = await api.POST(path, { account_id: account.id, grant_id }, { reason }, account);
    const { revoked = 0 } = saved.prepaid.grants.find(({ id }) => id === grant_id) ?? {};
    onRevoked(`${plural(revoked, 'prepaid credit')} taken back.`, saved);
  };
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
                    <UserText>{reason ?? ''}</UserText> (<Person by={granted_by} />)
                  </>
                ),
              },
              {
                header: '',
                cell: (grant) =>
                  mayChange &&
                  grant.status === 'live' && (
                    <ActionButton
                      label="Take back…"
                      size="compact-xs"
                      name={`Take back: ${formatNumber(grant.remaining)} prepaid credits`}
                      title={`Take back ${plural(grant.remaining, 'prepaid credit')}`}
                      of={account.name}
                      consequence="What charges have taken of this grant stays used. What is left of it cannot be used any more."
                      action="Take them back"
                      danger
                      onConfirm={(reason) => revoke(grant.id, reason)}
                    />
                  ),
              },
            ]}
          />
        </>
      )}
    </Panel>
  );
}

type Reconciliation = NonNullable<Credits['reconciliation']>;

export function ReconciliationPanel({ credits: { reconciliation } }: { credits: Credits }) {
  return (
    <Panel title="Reconciliation">
      {reconciliation ? (
        <Result {...reconciliation} />
      ) : (
        <Banner title="Not checked: this ledger is too long to be added up while you wait.">
          Operations can check it with <code>greenroom doctor</code>.
        </Banner>
      )}
    </Panel>
  );
}

function Result({ balanced, checked, breaches }: Reconciliation) {
  if (balanced)
    return (
      <Noted
        note={`Checked just now: ${plural(checked, 'balance')} of the account and its keys, in every period.`}
      >
        <StatusBadge tone="good">The ledger adds up.</StatusBadge>
      </Noted>
    );
  return (
    <>
      <Banner
        tone="bad"
        alert
        title={`${plural(breaches.length, 'balance')} of ${formatNumber(checked)} differ from the ledger.`}
      >
        Notify operations before you change anything here.
      </Banner>
      <ul className="gr-entries">
        {breaches.map((breach) => (
          <BreachItem key={`${breach.subject_id} ${breach.period_start}`} {...breach} />
        ))}
      </ul>
    </>
  );
}

function BreachItem(breach: Reconciliation['breaches'][number]) {
  const { subject, subject_id, period_start, problems, used, granted, held } = breach;
  const pair = ({ ledger, balance }: { ledger: number; balance: number | null }) =>
    `${formatNumber(ledger)} in the ledger, ${balance === null ? 'none' : formatNumber(balance)} in the balance`;
  return (
    <li>
      <div>
        {subject === 'key' ? <Link to={`/api-keys/${subject_id}`}>A key</Link> : 'The account'}, period from{' '}
        <Time at={period_start} dateOnly />: {problems.join(', ')}
      </div>
      <div className="gr-dimmed">
        Used: {pair(used)}. Granted: {pair(granted)}. Held: {pair(held)}.
      </div>
    </li>
  );
}
