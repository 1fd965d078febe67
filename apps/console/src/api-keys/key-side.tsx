import { usableCredits } from '@app/domain/credits/credits-left';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Permission } from '@app/domain/keys/permissions';
import { read, type Schema, api } from '../api/client';
import { isInside } from '../allow-list/address-map';
import { paceOf, ShareList } from '../components/meter';
import { Name, Time } from '../components/inline';
import { formatNumber, plural } from '../components/number';
import { Panel } from '../components/page';
import { binds, firstToEnd, standingOf, toneOf, type KeyLimit } from './key-limits';
import { usePermissionTexts } from './permission-picker';
import { sumOf } from '../components/chart-days';

interface Named extends KeyLimit {
  name: ReactNode;
}

/** Every limit of credits that binds a key: its own, its account's, and the budgets it counts towards; what ends it first, first. */
export function useKeyLimits(key: Schema['ApiKeyDetailResponse']) {
  const accountId = key.account.id;
  const account = useQuery(read(['account', accountId], '/admin/accounts/{account_id}', accountId)).data;
  const budgets = useQuery(read(['budgets', accountId], '/admin/accounts/{account_id}/budgets', accountId));
  const own = usableCredits({ ...key.credits, creditLimit: key.credits.limit });
  const limits: Named[] = [];
  if (own !== null) limits.push({ id: key.id, name: 'This key', limit: own, ...usedOf(key.credits) });
  if (account) {
    const { credits } = account.usage;
    const name = <Link to={`/accounts/${accountId}`}>The account</Link>;
    limits.push({ id: accountId, name, limit: credits.limit, ...usedOf(credits) });
  }
  for (const { id, name, used, amount, window_start, renews_at, ...budget } of budgets.data?.items ?? [])
    if (binds(budget, key)) {
      const named = (
        <>
          Budget <Name>{name}</Name>
        </>
      );
      limits.push({ id, name: named, used, limit: amount, start: window_start, end: renews_at });
    }
  return limits.map((limit) => ({ ...limit, ...standingOf(limit, Date.now()) })).sort(firstToEnd);
}

const usedOf = (credits: { used: number; period_start: string; period_end: string }) => ({
  used: credits.used,
  start: credits.period_start,
  end: credits.period_end,
});

export function LimitsPanel({ limits }: { limits: ReturnType<typeof useKeyLimits> }) {
  return (
    <Panel title="What ends it first">
      <ShareList
        name="Limits of credits"
        rows={limits.map(({ id, name, used, limit, start, end, share, endsAt }) => ({
          id,
          name,
          share,
          pace: paceOf({ start, end }),
          tone: toneOf({ share, endsAt }),
          note: (
            <>
              {formatNumber(used)} of {formatNumber(limit)} credits ·{' '}
              {endsAt === null ? 'lasts until it renews on ' : share >= 1 ? 'used up until ' : 'ends about '}
              <Time at={share >= 1 || endsAt === null ? end : new Date(endsAt).toISOString()} dateOnly />
            </>
          ),
        }))}
      />
    </Panel>
  );
}

export function PermissionsPanel({ keyId, permissions }: { keyId: string; permissions: string[] | 'all' }) {
  const textOf = usePermissionTexts();
  const use = useQuery({
    queryKey: ['api-key', keyId, 'permission-use'],
    queryFn: () => api.POST('/admin/api-keys/{key_id}/permissions/suggest', keyId, {}),
  });
  const { permissions: used = [], requests = 0, days = 30 } = use.data ?? {};
  const shown = permissions === 'all' ? used.map(({ name }) => name) : permissions;
  const rows = shown.map((name) => {
    const times = used.find((each) => each.name === name);
    return {
      id: name,
      name: <span className="gr-mono">{name}</span>,
      share: times && requests > 0 ? times.requests / requests : 0,
      note: (
        <>
          {textOf(name as Permission)}{' '}
          {times ? (
            <>
              {plural(times.requests, 'request')} in {days} days, the last{' '}
              <Time at={times.last_used} relative />.
            </>
          ) : (
            use.data && `Not used in ${plural(days, 'day')}.`
          )}
        </>
      ),
    };
  });
  return (
    <Panel title="What it may do" note={plural(days, 'day')}>
      {permissions === 'all' && <p>Everything, including permissions that are added later.</p>}
      <ShareList name="Permissions" rows={rows.toSorted((one, other) => other.share - one.share)} />
    </Panel>
  );
}

const SHOWN = 6;

export function OriginsPanel(props: {
  apiKey: Schema['ApiKeyDetailResponse'];
  traffic: Schema['TrafficResponse'];
}) {
  const { id, allowed_ips } = props.apiKey;
  const { addresses, days } = props.traffic;
  const all = Math.max(1, sumOf(addresses.map(({ requests }) => requests)));
  const rows = [...new Set(addresses.map(({ address }) => address))].map((address) => {
    const uses = addresses.filter((use) => use.address === address);
    // The list may have changed since.
    const isOff = allowed_ips !== null && !isInside(address, allowed_ips);
    const isRefused = isOff && uses.some(({ outcome }) => outcome === 'ip');
    const [latest] = uses.map(({ last_seen }) => last_seen).toSorted((a, b) => b.localeCompare(a));
    return {
      id: address,
      name: <span className="gr-mono">{address === 'other' ? 'others' : address}</span>,
      share: sumOf(uses.map(({ requests }) => requests)) / all,
      tone: isRefused ? ('bad' as const) : undefined,
      note: (
        <>
          {isRefused && 'not on the list · '}
          <Time at={latest} relative />
        </>
      ),
    };
  });
  return (
    <Panel
      title="From where"
      note={plural(days, 'day')}
      actions={
        <Link to={`/api-keys/${id}/allow-list`}>
          {allowed_ips
            ? `Allow-list of ${plural(allowed_ips.length, 'entry', 'entries')}`
            : 'every address is let in'}
        </Link>
      }
    >
      {rows.length === 0 ? (
        <span className="gr-dimmed">No request in {plural(days, 'day')}.</span>
      ) : (
        <ShareList
          name="Addresses"
          rows={rows.sort((one, other) => other.share - one.share).slice(0, SHOWN)}
        />
      )}
    </Panel>
  );
}
