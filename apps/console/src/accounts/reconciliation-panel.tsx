import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import { Banner, StatusBadge } from '../components/banner';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';

type Reconciliation = Schema['AccountCreditsResponse']['reconciliation'];
type Breach = NonNullable<Reconciliation>['breaches'][number];

/** Whether the ledger of an account adds up to its balances, now. */
export function ReconciliationPanel({
  credits: { reconciliation },
}: {
  credits: { reconciliation: Reconciliation };
}) {
  return (
    <Panel title="Reconciliation">
      {reconciliation ? (
        <Result reconciliation={reconciliation} />
      ) : (
        <Banner title="Not checked: this ledger is too long to be added up while you wait.">
          Operations can check it with <code>greenroom doctor</code>.
        </Banner>
      )}
    </Panel>
  );
}

function Result({
  reconciliation: { balanced, checked, breaches },
}: {
  reconciliation: NonNullable<Reconciliation>;
}) {
  if (balanced)
    return (
      <>
        <StatusBadge tone="good">The ledger adds up.</StatusBadge>
        <div className="gr-dimmed">
          Checked just now: {plural(checked, 'balance')} of the account and its keys, in every period.
        </div>
      </>
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
          <BreachItem key={`${breach.subject_id} ${breach.period_start}`} breach={breach} />
        ))}
      </ul>
    </>
  );
}

function BreachItem({ breach }: { breach: Breach }) {
  const { subject, subject_id, period_start, problems, used, granted, held } = breach;
  const pair = ({ ledger, balance }: { ledger: number; balance: number | null }) =>
    `${formatNumber(ledger)} in the ledger, ${balance === null ? 'none' : formatNumber(balance)} in the balance`;
  return (
    <li>
      <div>
        {subject === 'key' ? (
          <Link to="/api-keys/$keyId" params={{ keyId: subject_id }}>
            A key
          </Link>
        ) : (
          'The account'
        )}
        , period from <Time at={period_start} dateOnly />: {problems.join(', ')}
      </div>
      <div className="gr-dimmed">
        Used: {pair(used)}. Granted: {pair(granted)}. Held: {pair(held)}.
      </div>
    </li>
  );
}
