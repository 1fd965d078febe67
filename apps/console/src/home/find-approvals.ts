import { queryOptions } from '@tanstack/react-query';
import { api, queryClient, type Schema } from '../api/client';
import { asQuery } from '../components/list-search';
import { plural } from '../components/number';
import { accountsOf, ifAny, type Attention } from './waiting';

/** Waiting requests of others: what the reader decides about. */
export const FOR_ME = { status: 'waiting', requested_by: 'others' };
const MINE = { status: 'waiting', requested_by: 'me' };
const NAMED = '50';

export const forMeQuery = queryOptions({
  queryKey: ['approvals', 'for-me'],
  queryFn: () => list(FOR_ME, NAMED),
});

const list = (query: Record<string, string>, limit: string) =>
  api.GET('/admin/approvals', asQuery({ ...query, limit }));

const accountsFrom = (items: Schema['ApprovalResponse'][]) =>
  accountsOf(
    items.flatMap(({ account }) =>
      account === null ? [] : [{ account: { id: account.id, name: account.name ?? account.id } }],
    ),
  );

export async function findApprovals(): Promise<Attention[]> {
  // The menu reads the first of them too.
  const [forMe, mine] = await Promise.all([queryClient.fetchQuery(forMeQuery), list(MINE, NAMED)]);
  return [
    ...ifAny(forMe.total, {
      text: `${plural(forMe.total, 'change waits', 'changes wait')} for your approval`,
      accounts: accountsFrom(forMe.items),
      to: '/approvals',
      search: FOR_ME,
      verb: 'Review',
    }),
    ...ifAny(mine.total, {
      text: `${plural(mine.total, 'change')} of yours ${mine.total === 1 ? 'waits' : 'wait'} for a second person`,
      isEarly: true,
      accounts: accountsFrom(mine.items),
      to: '/approvals',
      search: MINE,
    }),
  ];
}
