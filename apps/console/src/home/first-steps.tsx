import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../api/client';
import { Panel } from '../components/page';
import { StatusBadge } from '../components/inline';

/** On an installation without customers: what to do first, each ticked when it has happened. */
export function FirstSteps() {
  const { data } = useQuery({
    queryKey: ['accounts', 'first-steps'],
    queryFn: async () => {
      const [accounts, keys] = await Promise.all([
        api.GET('/admin/accounts', { limit: 1 } as never),
        api.GET('/admin/api-keys', { limit: 1, sort: '-last_used_at' } as never),
      ]);
      const [account] = accounts.items;
      return {
        account,
        hasKey: keys.total > 0,
        hasRequest: keys.items.some((key) => key.last_used_at !== null),
      };
    },
    refetchInterval: 3_000,
  });
  if (!data || data.hasRequest) return null;
  const { account, hasKey } = data;
  const steps = [
    { done: account !== undefined, text: 'Open an account for a customer', to: '/accounts' },
    {
      done: hasKey,
      text: 'Give it an API key',
      to: account ? `/accounts/${account.id}/new-key` : '/accounts',
    },
    { done: false, text: 'Send a first request with the key', to: '/api-keys' },
  ];
  return (
    <Panel title="Three steps to the first request">
      <Stack component="ol" gap="sm">
        {steps.map(({ done, text, to }) => (
          <li key={text}>
            <StatusBadge tone={done ? 'good' : 'calm'}>
              {done ? text : <Link to={to}>{text}</Link>}
            </StatusBadge>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}
