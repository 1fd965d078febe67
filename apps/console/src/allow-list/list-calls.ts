import { api, ifMatch, likePath, unwrap, type Schema } from '../api/client';

type AllowList = Schema['AllowListResponse'];

/** The key, or the account, whose list it is. */
export type ListOwner = Pick<AllowList['owner'], 'kind' | 'id'>;

const OF_KEY = '/admin/api-keys/{key_id}/allowed-ips';
const OF_ACCOUNT = likePath(OF_KEY, '/admin/accounts/{account_id}/allowed-ips');

/** What the server does with the list of a key, or of an account. */
export function listCalls({ kind, id }: ListOwner) {
  const at = kind === 'key' ? OF_KEY : OF_ACCOUNT;
  const params = { path: { key_id: id, account_id: id } };
  const based = (list: AllowList) => ({ ...params, header: ifMatch(list) });
  return {
    get: () => unwrap(api.GET(at, { params })),
    observed: (days: number) => unwrap(api.GET(`${at}/observed`, { params: { ...params, query: { days } } })),
    check: (body: Schema['CheckAllowListBody']) => unwrap(api.POST(`${at}/check`, { params, body })),
    dryRun: (body: Schema['DryRunAllowListBody']) => unwrap(api.POST(`${at}/dry-run`, { params, body })),
    suggest: (body: Schema['SuggestAllowListBody']) => unwrap(api.POST(`${at}/suggest`, { params, body })),
    replace: (list: AllowList, body: Schema['ReplaceAllowListBody']) =>
      unwrap(api.PUT(at, { params: based(list), body })),
    keep: (list: AllowList, body: Schema['ReasonBody']) =>
      unwrap(api.POST(`${at}/keep`, { params: based(list), body })),
    undo: (list: AllowList, body: Schema['ReasonBody']) =>
      unwrap(api.POST(`${at}/undo`, { params: based(list), body })),
  };
}
