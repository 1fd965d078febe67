import { Link } from '@tanstack/react-router';
import type { Schema } from '../api/client';
import { Notice } from '../components/notice';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { Time } from '../components/time';

type Reconciliation = Schema['AccountCreditsResponse']['reconciliation'];
type Breach = Reconciliation['breaches'][number];

/** Whether the ledger of an account adds up to its balances, now. */
export function ReconciliationPanel({
  credits: { reconciliation },
}: {
  credits: { reconciliation: Reconciliation };
}) {
  const { balanced, checked, breaches } = reconciliation;
  return (
    <Panel title="Reconciliation">
      {balanced ? (
        <Notice tone="good" title="The ledger adds up.">
          Checked just now: {plural(checked, 'balance')} of the account and its keys, in every period.
        </Notice>
      ) : (
        <>
          <Notice
            tone="bad"
            alert
            title={`${plural(breaches.length, 'balance')} of ${formatNumber(checked)} differ from the ledger.`}
          >
            Tell operations before you change anything here.
          </Notice>
          <ul className="gr-entries">
            {breaches.map((breach) => (
              <BreachItem key={`${breach.subject_id} ${breach.period_start}`} breach={breach} />
            ))}
          </ul>
        </>
      )}
    </Panel>
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
