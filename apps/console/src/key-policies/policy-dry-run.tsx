import { DAY_MS } from '@app/domain/common/utc-days';
import type { ReactNode } from 'react';
import { AccountName, KeyName, Time } from '../components/inline';
import { formatNumber, plural } from '../components/number';
import type { Schema } from '../api/client';
import type { Rules } from './policy';

type Impact = Schema['KeyPolicyDryRunResponse'];

const NAMED = 5;

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

export function PolicyDryRun({ rules, impact }: { rules: Rules; impact: Impact }) {
  const { max_lifetime_days: lifetime, rotation_age_days: age, idle_warn_days: warn } = rules;
  const { permissions, allow_list_required: needsList, idle_disable_days: disableAfter } = rules;
  if (lifetime === null && age === null && warn === null && permissions === 'all' && !needsList)
    return <div>The policy requires nothing of {plural(impact.keys, 'enabled key')}.</div>;
  return (
    <div aria-label="Dry run" role="group">
      Of {plural(impact.keys, 'enabled key')}:
      <ul>
        {lifetime !== null && <Lifetime impact={impact} />}
        {age !== null && (
          <Keys count={impact.rotation_due} are={['has a secret that is', 'have secrets that are']}>
            due for rotation today. People are warned once.
          </Keys>
        )}
        {permissions !== 'all' && (
          <Keys count={impact.more_allowed} are={['has', 'have']}>
            permissions that the policy does not accept. They keep them, as findings.
          </Keys>
        )}
        {needsList && (
          <Keys count={impact.without_list} are={['has', 'have']}>
            no allow-list, and work without, as findings.
          </Keys>
        )}
        {warn !== null && (
          <Keys count={impact.idle} are={['is', 'are']}>
            idle already: people are warned within minutes after saving, and{' '}
            {disableAfter === null ? (
              'no key is disabled.'
            ) : (
              <>
                what is still unused on <Time at={inDays(disableAfter)} dateOnly /> is disabled then, with one
                click to bring it back.
              </>
            )}
          </Keys>
        )}
      </ul>
    </div>
  );
}

function Keys(props: { count: number; are: [one: string, many: string]; children?: ReactNode }) {
  const { count, are, children } = props;
  return (
    <li>
      <strong>{formatNumber(count)}</strong> {are[count === 1 ? 0 : 1]} {children}
    </li>
  );
}

function Lifetime({ impact }: { impact: Impact }) {
  const { shortened, older_already: older, managed_by_files: managed, first } = impact;
  return (
    <>
      <Keys count={shortened} are={['works', 'work']}>
        for longer than that
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
      </Keys>
      {managed > 0 && (
        <Keys
          count={managed}
          are={[
            'stays as it is: a file of keys manages it.',
            'stay as they are: a file of keys manages them.',
          ]}
        />
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
          <Time at={key.new_expires_at} dateOnly />, in place of <Time at={key.expires_at} dateOnly />
        </li>
      ))}
      {shortened > named.length && <li>and {plural(shortened - named.length, 'more key')}</li>}
    </ul>
  );
}
