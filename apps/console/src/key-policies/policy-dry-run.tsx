import { DAY_MS } from '@app/domain/common/utc-days';
import { AccountName, KeyName, Time } from '../components/inline';
import { formatNumber, plural } from '../components/number';
import type { Schema } from '../api/client';
import type { Rules } from './policy';

type Impact = Schema['KeyPolicyDryRunResponse'];

/** Keys that are named; the others are counted. */
const NAMED = 5;

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

export function PolicyDryRun({ rules, impact }: { rules: Rules; impact: Impact }) {
  const { max_lifetime_days: lifetime, rotation_age_days: age, idle_warn_days: warn } = rules;
  const { permissions, allow_list_required: needsList } = rules;
  if (lifetime === null && age === null && warn === null && permissions === 'all' && !needsList)
    return <div>The policy requires nothing of {plural(impact.keys, 'enabled key')}.</div>;
  return (
    <div aria-label="Dry run" role="group">
      Of {plural(impact.keys, 'enabled key')}:
      <ul>
        {lifetime !== null && <Lifetime impact={impact} />}
        {age !== null && (
          <li>
            <strong>{formatNumber(impact.rotation_due)}</strong>{' '}
            {impact.rotation_due === 1 ? 'has a secret that is' : 'have secrets that are'} due for rotation
            today. People are warned once.
          </li>
        )}
        {permissions !== 'all' && (
          <li>
            <strong>{formatNumber(impact.more_allowed)}</strong> {impact.more_allowed === 1 ? 'has' : 'have'}{' '}
            permissions that the policy does not accept. They keep them, as findings.
          </li>
        )}
        {needsList && (
          <li>
            <strong>{formatNumber(impact.without_list)}</strong> {impact.without_list === 1 ? 'has' : 'have'}{' '}
            no allow-list, and work without, as findings.
          </li>
        )}
        {warn !== null && <Idle impact={impact} disableAfter={rules.idle_disable_days} />}
      </ul>
    </div>
  );
}

function Lifetime({ impact }: { impact: Impact }) {
  const { shortened, older_already: older, managed_by_files: managed, first } = impact;
  return (
    <>
      <li>
        <strong>{formatNumber(shortened)}</strong> {shortened === 1 ? 'works' : 'work'} for longer than that
        {first.length > 0 && (
          <>
            {' '}
            and would expire earlier once the policy is applied, the first on{' '}
            <Time at={first[0]!.new_expires_at} dateOnly />
          </>
        )}
        .
        {older > 0 &&
          ` ${formatNumber(older)} of them would already have expired, but for the days of grace.`}
        {first.length > 0 && <FirstKeys impact={impact} />}
      </li>
      {managed > 0 && (
        <li>
          <strong>{formatNumber(managed)}</strong> {managed === 1 ? 'stays' : 'stay'} as{' '}
          {managed === 1 ? 'it is' : 'they are'}: a file of keys manages {managed === 1 ? 'it' : 'them'}.
        </li>
      )}
    </>
  );
}

function FirstKeys({ impact: { first, shortened } }: { impact: Impact }) {
  const named = first.slice(0, NAMED);
  return (
    <ul>
      {named.map((key) => (
        <li key={key.id}>
          <KeyName id={key.id} name={key.name} /> of{' '}
          <AccountName account={{ id: key.account_id, name: key.account_name }} />: on{' '}
          <Time at={key.new_expires_at} dateOnly />,{' '}
          {key.expires_at === null ? (
            'in place of never'
          ) : (
            <>
              in place of <Time at={key.expires_at} dateOnly />
            </>
          )}
        </li>
      ))}
      {shortened > named.length && <li>and {plural(shortened - named.length, 'more key')}</li>}
    </ul>
  );
}

function Idle({ impact: { idle }, disableAfter }: { impact: Impact; disableAfter: number | null }) {
  return (
    <li>
      <strong>{formatNumber(idle)}</strong> {idle === 1 ? 'is' : 'are'} idle already: people are warned within
      minutes after saving
      {disableAfter === null ? (
        ', and no key is disabled.'
      ) : (
        <>
          , and what is still unused on <Time at={inDays(disableAfter)} dateOnly /> is disabled then, with one
          click to bring it back.
        </>
      )}
    </li>
  );
}
