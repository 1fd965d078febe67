import { api, likePath, type Schema } from '../api/client';

type AllowList = Schema['AllowListResponse'];

/** The key, or the account, whose list it is. */
export type ListOwner = Pick<AllowList['owner'], 'kind' | 'id'>;

const OF_KEY = '/admin/api-keys/{key_id}/allowed-ips';
const OF_ACCOUNT = likePath(OF_KEY, '/admin/accounts/{account_id}/allowed-ips');

/** What the server does with the list of a key, or of an account. */
export function listCalls({ kind, id }: ListOwner) {
  const at = kind === 'key' ? OF_KEY : OF_ACCOUNT;
  const named = (kind === 'key' ? { key_id: id } : { account_id: id }) as { key_id: string };
  return {
    get: () => api.GET(at, id),
    observed: (days: number) => api.GET(`${at}/observed`, { ...named, days }),
    check: (body: Schema['CheckAllowListBody']) => api.POST(`${at}/check`, id, body),
    dryRun: (body: Schema['DryRunAllowListBody']) => api.POST(`${at}/dry-run`, id, body),
    suggest: (body: Schema['SuggestAllowListBody']) => api.POST(`${at}/suggest`, id, body),
    replace: (list: AllowList, body: Schema['ReplaceAllowListBody']) => api.PUT(at, id, body, list),
    keep: (list: AllowList, body: Schema['ReasonBody']) => api.POST(`${at}/keep`, id, body, list),
    undo: (list: AllowList, body: Schema['ReasonBody']) => api.POST(`${at}/undo`, id, body, list),
  };
}

export const allowListQuery = (owner: ListOwner) => ({
  queryKey: ['allow-list', owner.id],
  queryFn: listCalls(owner).get,
});
