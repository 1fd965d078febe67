import { Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { AccountName } from '../components/account-name';
import type { ListSearch } from '../components/list-filters';
import { Loading } from '../components/loading';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/problem-banner';
import { StatusBadge } from '../components/status-badge';
import { worstFirst, type Urgency } from './worst-first';

type Account = Parameters<typeof AccountName>[0]['account'];

/** Something that waits for staff, and the screen that handles it. */
export interface Attention extends Urgency {
  text: string;
  /** The customers whom it concerns, those with most of it first. */
  accounts?: Account[];
  detail?: ReactNode;
  to: string;
  search?: ListSearch;
}

/** What waits in one part of the product. */
export interface Source {
  title: string;
  query: UseQueryResult<Attention[]>;
  /** What holds when nothing waits. */
  calm: string;
}

/** What needs the reader, worst first. A part that cannot be read says so, and the others are shown. */
export function AttentionPanel({ sources }: { sources: Source[] }) {
  const items = sources.flatMap(({ query }) => query.data ?? []);
  const failed = sources.filter(({ query }) => query.isError);
  const calm = sources.filter(({ query }) => !query.isError && query.data?.length === 0);
  const isLoading = sources.some(({ query }) => query.isPending && !query.isError);
  return (
    <Panel title="What needs you">
      <Stack>
        {failed.map(({ title, query }) => (
          <Stack gap="xs" key={title}>
            <div>{title} cannot be shown right now.</div>
            <ProblemBanner error={query.error} onRetry={() => void query.refetch()} />
          </Stack>
        ))}
        <Items items={worstFirst(items)} />
        {isLoading && <Loading lines={2} />}
        {calm.length > 0 && (
          <details>
            <summary>
              <StatusBadge tone="good">fine</StatusBadge>{' '}
              <span className="gr-dimmed">{calm.map(({ title }) => title).join(', ')}</span>
            </summary>
            <span className="gr-dimmed">{calm.map((source) => source.calm).join(' ')}</span>
          </details>
        )}
      </Stack>
    </Panel>
  );
}

function Items({ items }: { items: Attention[] }) {
  if (items.length === 0) return null;
  return (
    <ul className="gr-attention" aria-label="What needs you, worst first">
      {items.map(({ text, isEarly, accounts = [], detail, to, search }) => (
        <li key={text}>
          <StatusBadge tone={isEarly ? 'warn' : 'bad'}>{isEarly ? 'soon' : 'now'}</StatusBadge>{' '}
          <Link to={to} search={search as never}>
            {text}
          </Link>
          <Customers accounts={accounts} />
          {detail !== undefined && <span className="gr-dimmed"> · {detail}</span>}
        </li>
      ))}
    </ul>
  );
}

const CUSTOMERS = 3;

function Customers({ accounts }: { accounts: Account[] }) {
  if (accounts.length === 0) return null;
  const more = accounts.length - CUSTOMERS;
  return (
    <span className="gr-dimmed">
      {' · '}
      {accounts.slice(0, CUSTOMERS).map((account, index) => (
        <span key={account.id}>
          {index > 0 && ', '}
          <AccountName account={account} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </span>
  );
}

/** The accounts of some resources, those with most of them first. */
export function accountsOf(resources: { account: Account }[]): Account[] {
  const counts = new Map<string, { account: Account; count: number }>();
  for (const { account } of resources) {
    counts.set(account.id, { account, count: (counts.get(account.id)?.count ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count).map(({ account }) => account);
}
