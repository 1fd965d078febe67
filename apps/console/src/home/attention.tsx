import { Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListSearch } from '../components/list-filters';
import { Loading } from '../components/loading';
import { Panel } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { StatusBadge } from '../components/status-badge';

/** Something that waits for staff, and the screen that handles it. */
export interface Attention {
  text: string;
  /** Not yet bad: it will be. */
  isEarly?: boolean;
  detail?: ReactNode;
  to: string;
  search?: ListSearch;
}

/** What needs attention in one part of the product; it is shown even if another part cannot be read. */
export function AttentionPanel({
  title,
  query,
  calm,
}: {
  title: string;
  query: UseQueryResult<Attention[]>;
  /** What it says when nothing waits. */
  calm: string;
}) {
  return (
    <Panel title={title}>
      {query.data === undefined && !query.isError && <Loading lines={2} />}
      {query.isError && (
        <Stack gap="xs">
          <div>This part cannot be shown right now.</div>
          <ProblemNotice error={query.error} onRetry={() => void query.refetch()} />
        </Stack>
      )}
      {query.data && !query.isError && <Items items={query.data} calm={calm} />}
    </Panel>
  );
}

function Items({ items, calm }: { items: Attention[]; calm: string }) {
  if (items.length === 0)
    return (
      <div>
        <StatusBadge tone="good">nothing to do</StatusBadge> <span className="gr-dimmed">{calm}</span>
      </div>
    );
  return (
    <ul className="gr-attention">
      {items.map(({ text, isEarly, detail, to, search }) => (
        <li key={text}>
          <StatusBadge tone={isEarly ? 'warn' : 'bad'}>{isEarly ? 'soon' : 'now'}</StatusBadge>{' '}
          <Link to={to} search={search as never}>
            {text}
          </Link>
          {detail !== undefined && <div className="gr-dimmed">{detail}</div>}
        </li>
      ))}
    </ul>
  );
}
