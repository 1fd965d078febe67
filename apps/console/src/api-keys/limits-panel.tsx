import { usableCredits } from '@app/domain/credits/credits-left';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { read, type Schema } from '../api/client';
import { paceOf } from '../components/meter';
import { Name } from '../components/name';
import { formatNumber } from '../components/number';
import { Panel } from '../components/page';
import { ShareList } from '../components/share-list';
import { Time } from '../components/time';
import { binds, firstToEnd, standingOf, type KeyLimit } from './key-limits';

interface Named extends KeyLimit {
  name: ReactNode;
}

/** Every limit of credits that binds a key: its own, its account's, and the budgets it counts towards; what ends it first, first. */
export function useKeyLimits(key: Schema['ApiKeyDetailResponse']) {
  const accountId = key.account.id;
  const account = useQuery(read(['account', accountId], '/admin/accounts/{account_id}', accountId));
  const budgets = useQuery(read(['budgets', accountId], '/admin/accounts/{account_id}/budgets', accountId));
  const window = ({
    period_start: start,
    period_end: end,
  }: {
    period_start: string;
    period_end: string;
  }) => ({ start: Date.parse(start), end: Date.parse(end) });
  const own = usableCredits({ ...key.credits, creditLimit: key.credits.limit });
  const limits: Named[] = [];
  if (own !== null)
    limits.push({ id: key.id, name: 'This key', used: key.credits.used, limit: own, ...window(key.credits) });
  if (account.data) {
    const { credits } = account.data.usage;
    limits.push({
      id: accountId,
      name: (
        <Link to="/accounts/$accountId" params={{ accountId }}>
          The account
        </Link>
      ),
      ...credits,
      ...window(credits),
    });
  }
  for (const { id, name, used, amount, window_start, renews_at, ...budget } of budgets.data?.items ?? [])
    if (binds(budget, key))
      limits.push({
        id,
        name: (
          <>
            Budget <Name>{name}</Name>
          </>
        ),
        used,
        limit: amount,
        ...window({ period_start: window_start, period_end: renews_at }),
      });
  return limits.map((limit) => ({ ...limit, ...standingOf(limit, Date.now()) })).sort(firstToEnd);
}

/** What ends the key first, tightest first, each with the pace that would last. */
export function LimitsPanel({ limits }: { limits: ReturnType<typeof useKeyLimits> }) {
  return (
    <Panel title="What ends it first">
      <ShareList
        name="Limits of credits"
        rows={limits.map(({ id, name, used, limit, start, end, share, endsAt }) => ({
          id,
          name,
          share,
          pace: paceOf({ start: new Date(start).toISOString(), end: new Date(end).toISOString() }),
          tone: share >= 1 ? 'bad' : endsAt === null ? 'good' : 'warn',
          note: (
            <>
              {formatNumber(used)} of {formatNumber(limit)} credits ·{' '}
              {endsAt === null ? 'lasts until it renews on ' : share >= 1 ? 'used up until ' : 'ends about '}
              <Time at={new Date(share >= 1 || endsAt === null ? end : endsAt).toISOString()} dateOnly />
            </>
          ),
        }))}
      />
    </Panel>
  );
}
