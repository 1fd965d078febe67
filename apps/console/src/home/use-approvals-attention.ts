import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { accountsOf, type Attention, type Source } from './attention';
import { WATCH_MS } from './watch';

/** Waiting requests of others: what the reader decides about. */
export const FOR_ME = { status: 'waiting', requested_by: 'others' };
const MINE = { status: 'waiting', requested_by: 'me' };
const NAMED = '50';

/** Changes that wait for a second person: the reader, or another. */
export function useApprovalsAttention(enabled: boolean): Source {
  const query = useQuery({
    queryKey: ['approvals', 'attention'],
    queryFn: findApprovals,
    refetchInterval: WATCH_MS,
    enabled,
  });
  return { title: 'Approvals', query, calm: 'Nothing waits for your approval.' };
}

async function findApprovals(): Promise<Attention[]> {
  const list = (query: Record<string, string>) =>
    unwrap(api.GET('/admin/approvals', { params: { query: asQuery({ ...query, limit: NAMED }) } }));
  const [forMe, mine] = await Promise.all([list(FOR_ME), list(MINE)]);
  const accounts = forMe.items.flatMap(({ account }) =>
    account === null ? [] : [{ account: { id: account.id, name: account.name ?? account.id } }],
  );
  return [
    ...(forMe.total === 0
      ? []
      : [
          {
            text: `${plural(forMe.total, 'change waits', 'changes wait')} for your approval`,
            accounts: accountsOf(accounts),
            to: '/approvals',
            search: FOR_ME,
          },
        ]),
    ...(mine.total === 0
      ? []
      : [
          {
            text: `${plural(mine.total, 'change')} of yours ${mine.total === 1 ? 'waits' : 'wait'} for a second person`,
            isEarly: true,
            to: '/approvals',
            search: MINE,
          },
        ]),
  ];
}
