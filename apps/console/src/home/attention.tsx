import { Box, Button, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { AccountName, StatusBadge, WithPeople } from '../components/inline';
import { Empty, Loading, Panel } from '../components/page';
import { formatNumber } from '../components/number';
import { ProblemBanner } from '../components/banner';
import { isBeingRead, type Attention, type Source } from './waiting';
import { worstFirst } from './worst-first';

export function AttentionPanel({ sources }: { sources: Source[] }) {
  const items = sources.flatMap(({ query }) => query.data ?? []);
  const failed = sources.filter(({ query }) => query.isError);
  const calm = sources.filter(({ query }) => !query.isError && query.data?.length === 0);
  return (
    <Panel
      title="Waits for you"
      note={items.length > 0 ? `${formatNumber(items.length)}, worst first` : undefined}
    >
      {failed.map(({ title, query }) => (
        <div key={title}>
          {title} cannot be shown right now.
          <ProblemBanner error={query.error} onRetry={() => void query.refetch()} />
        </div>
      ))}
      <Items items={worstFirst(items)} />
      {sources.some(isBeingRead) && <Loading lines={2} />}
      {calm.length === sources.length && <Empty title="Nothing waits for you" />}
      {calm.length > 0 && (
        <Box component="details" fz="sm" mt="md">
          <summary>
            <StatusBadge tone="good">fine</StatusBadge>{' '}
            <span className="gr-dimmed">{calm.map(({ title }) => title).join(', ')}</span>
          </summary>
          <span className="gr-dimmed">{calm.map((source) => source.calm).join(' ')}</span>
        </Box>
      )}
    </Panel>
  );
}

function Items({ items }: { items: Attention[] }) {
  if (items.length === 0) return null;
  return (
    <ul className="gr-todo" aria-label="What waits for you, worst first">
      {items.map(({ text, isEarly, accounts = [], detail, to, search, verb = 'Look' }) => (
        <li key={text}>
          <StatusBadge tone={isEarly ? 'warn' : 'bad'}>
            <VisuallyHidden>{isEarly ? 'soon' : 'now'}</VisuallyHidden>
          </StatusBadge>
          <div>
            <Link to={to} search={search as never}>
              {text}
            </Link>
            {(accounts.length > 0 || detail !== undefined) && (
              <div className="gr-dimmed">
                <Customers accounts={accounts} />
                {accounts.length > 0 && detail !== undefined && ' · '}
                <WithPeople text={detail ?? ''} />
              </div>
            )}
          </div>
          {/* The same as the link before it, for those who point. */}
          <Button
            component={Link}
            to={to}
            search={search as never}
            variant="default"
            size="compact-sm"
            tabIndex={-1}
            aria-hidden
          >
            {verb}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const CUSTOMERS = 3;

function Customers({ accounts }: { accounts: NonNullable<Attention['accounts']> }) {
  const more = accounts.length - CUSTOMERS;
  return (
    <>
      {accounts.slice(0, CUSTOMERS).map((account, index) => (
        <span key={account.id}>
          {index > 0 && ', '}
          <AccountName account={account} />
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}
