import { api, ifMatch, unwrap, type Schema } from '../api/client';

type AllowList = Schema['AllowListResponse'];

/** The key, or the account, whose list it is. */
export type ListOwner = Pick<AllowList['owner'], 'kind' | 'id'>;

/** What the server does with the list of a key, or of an account. */
export function listCalls({ kind, id }: ListOwner) {
  const ofKey = { path: { key_id: id } };
  const ofAccount = { path: { account_id: id } };
  if (kind === 'key')
    return {
      get: () => unwrap(api.GET('/admin/api-keys/{key_id}/allowed-ips', { params: ofKey })),
      observed: (days: number) =>
        unwrap(
          api.GET('/admin/api-keys/{key_id}/allowed-ips/observed', { params: { ...ofKey, query: { days } } }),
        ),
      check: (body: Schema['CheckAllowListBody']) =>
        unwrap(api.POST('/admin/api-keys/{key_id}/allowed-ips/check', { params: ofKey, body })),
      dryRun: (body: Schema['DryRunAllowListBody']) =>
        unwrap(api.POST('/admin/api-keys/{key_id}/allowed-ips/dry-run', { params: ofKey, body })),
      suggest: (body: Schema['SuggestAllowListBody']) =>
        unwrap(api.POST('/admin/api-keys/{key_id}/allowed-ips/suggest', { params: ofKey, body })),
      replace: (list: AllowList, body: Schema['ReplaceAllowListBody']) => {
        const params = { ...ofKey, header: ifMatch(list) };
        return unwrap(api.PUT('/admin/api-keys/{key_id}/allowed-ips', { params, body }));
      },
      keep: (list: AllowList, body: Schema['ReasonBody']) => {
        const params = { ...ofKey, header: ifMatch(list) };
        return unwrap(api.POST('/admin/api-keys/{key_id}/allowed-ips/keep', { params, body }));
      },
      undo: (list: AllowList, body: Schema['ReasonBody']) => {
        const params = { ...ofKey, header: ifMatch(list) };
        return unwrap(api.POST('/admin/api-keys/{key_id}/allowed-ips/undo', { params, body }));
      },
    };
  return {
    get: () => unwrap(api.GET('/admin/accounts/{account_id}/allowed-ips', { params: ofAccount })),
    observed: (days: number) =>
      unwrap(
        api.GET('/admin/accounts/{account_id}/allowed-ips/observed', {
          params: { ...ofAccount, query: { days } },
        }),
      ),
    check: (body: Schema['CheckAllowListBody']) =>
      unwrap(api.POST('/admin/accounts/{account_id}/allowed-ips/check', { params: ofAccount, body })),
    dryRun: (body: Schema['DryRunAllowListBody']) =>
      unwrap(api.POST('/admin/accounts/{account_id}/allowed-ips/dry-run', { params: ofAccount, body })),
    suggest: (body: Schema['SuggestAllowListBody']) =>
      unwrap(api.POST('/admin/accounts/{account_id}/allowed-ips/suggest', { params: ofAccount, body })),
    replace: (list: AllowList, body: Schema['ReplaceAllowListBody']) => {
      const params = { ...ofAccount, header: ifMatch(list) };
      return unwrap(api.PUT('/admin/accounts/{account_id}/allowed-ips', { params, body }));
    },
    keep: (list: AllowList, body: Schema['ReasonBody']) => {
      const params = { ...ofAccount, header: ifMatch(list) };
      return unwrap(api.POST('/admin/accounts/{account_id}/allowed-ips/keep', { params, body }));
    },
    undo: (list: AllowList, body: Schema['ReasonBody']) => {
      const params = { ...ofAccount, header: ifMatch(list) };
      return unwrap(api.POST('/admin/accounts/{account_id}/allowed-ips/undo', { params, body }));
    },
  };
}
