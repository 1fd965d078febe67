import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { WATCH_MS } from '../components/watch';
import { accountsOf, type Attention, type Source } from './waiting';

const FAILING = { manager: 'me', status: 'active', webhooks_failing: 'true' };
/** Accounts that are named. */
const NAMED = '50';

/** Receivers of webhooks that fail, for account managers: those who read the queues have them there. */
export function useReceiversAttention(enabled: boolean): Source {
  const query = useQuery({
    queryKey: ['attention', 'receivers'],
    queryFn: findReceivers,
    refetchInterval: WATCH_MS,
    enabled,
  });
  return { title: 'Webhooks', query, calm: 'Every receiver of your accounts accepts its webhooks.' };
}

async function findReceivers(): Promise<Attention[]> {
  const query = asQuery({ ...FAILING, limit: NAMED });
  const { items, total } = await api.GET('/admin/accounts', query);
  const [first] = items;
  if (first === undefined) return [];
  return [
    {
      text: `Webhooks of ${plural(total, 'customer')} fail`,
      accounts: accountsOf(items.map((account) => ({ account }))),
      ...(total === 1 ? { to: `/accounts/${first.id}/webhooks` } : { to: '/accounts', search: FAILING }),
    },
  ];
}
