import { ApprovalsService } from '../../libs/administration/approvals/approvals.service';
import type { Problem } from '../../apps/api/src/http/problem-json';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';

let stack: Stack;
let asker: StaffClient;
let second: StaffClient;
let support: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({
    worker: false,
    env: {
      APPROVAL_OF_ENTITLEMENTS: 'on',
      APPROVAL_OF_CREDITS_ABOVE: '1000',
      APPROVAL_OF_LIST_REMOVAL: 'on',
      APPROVAL_OF_BULK_CHANGE_ABOVE: '1',
    },
  });
  asker = await StaffClient.signedIn(stack, 'account_manager');
  second = await StaffClient.signedIn(stack, 'admin');
  support = await StaffClient.signedIn(stack, 'support');
});

afterAll(async () => {
  await stack.stop();
});

const reason = 'Ticket 4711';
const ANY = { 'if-match': '*' };
const code = ({ body }: StaffResponse) => (body as unknown as Problem).code;
const approve = (staff: StaffClient, id: string) => staff.post(`/admin/approvals/${id}/approve`);
const accountOf = async (id: string) => (await asker.get(`/admin/accounts/${id}`)).body;

interface Approval {
  id: string;
  [field: string]: unknown;
}

/** What a request waits as. */
function waiting({ status, body }: StaffResponse): Approval {
  expect({ status, body }).toMatchObject({ status: 202, body: { approval: { status: 'waiting' } } });
  return body.approval as Approval;
}

async function requestTier(accountId: string, tier = 'scale'): Promise<Approval> {
  return waiting(await asker.patch(`/admin/accounts/${accountId}`, { tier, reason }, ANY));
}

async function eventsOf(targetId: string) {
  return stack.dataSource.query<{ action: string; actor: string; after: Record<string, unknown> }[]>(
    'SELECT action, actor_name AS actor, after FROM audit_event WHERE target_id = $1 ORDER BY id',
    [targetId],
  );
}

async function keyWithList(): Promise<IssuedKey> {
  const key = await stack.issueKey({ tier: 'enterprise' });
  const entitlement = { enabled: true, reason };
  const path = `/admin/accounts/${key.accountId}/ip-allow-list-entitlement`;
  const { id } = waiting(await asker.send('PUT', path, entitlement, ANY));
  expect((await approve(second, id)).status).toBe(200);
  const list = { text: '127.0.0.1, 192.0.2.1', reason };
  const placed = await asker.send('PUT', `/admin/api-keys/${key.keyId}/allowed-ips`, list, ANY);
  expect(placed.status).toBe(200);
  return key;
}

describe('200', () => {
  it('a deleted key that was exposed is restored by two people, another by one', async () => {
    const [exposed, other] = [await stack.issueKey(), await stack.issueKey()];
    const disable = { disable_reason: 'exposed_publicly', reason };
    await asker.post(`/admin/api-keys/${exposed.keyId}/disable`, disable, ANY);
    for (const { keyId } of [exposed, other])
      await asker.send('DELETE', `/admin/api-keys/${keyId}`, { reason }, ANY);
    const restore = (keyId: string) =>
      asker.post(`/admin/api-keys/${keyId}/restore`, { reason, confirm: true }, ANY);
    expect((await restore(other.keyId)).status).toBe(200);
    const { id } = waiting(await restore(exposed.keyId));
    const stateOf = async () => (await second.get(`/admin/api-keys/${exposed.keyId}`)).body.status;
    expect(await stateOf()).toBe('deleted');
    expect((await approve(second, id)).status).toBe(200);
    expect(await stateOf()).toBe('disabled');
  });

  it('a second person approves another tier: it is made in the name of who requested it, with both in the audit log', async () => {
    const accountId = await stack.openAccount('pro');
    const approval = await requestTier(accountId);
    expect(approval).toMatchObject({
      kind: 'account_settings',
      action: 'account.edited',
      before: { tier: 'pro' },
      after: { tier: 'scale' },
      target: { type: 'account', id: accountId },
      requested_by: asker.person.email,
      is_own: true,
      may_decide: false,
      is_stale: false,
    });
    expect(await accountOf(accountId)).toMatchObject({ tier: 'pro', version: 1 });
    const { body } = await second.get('/admin/approvals?status=waiting&requested_by=others');
    expect(body).toMatchObject({ items: [{ id: approval.id, may_decide: true, is_own: false }], total: 1 });
    const done = await approve(second, approval.id);
    expect(done.body).toMatchObject({
      status: 'approved',
      decided_by: second.person.email,
      staff_names: { [second.person.email]: second.person.email.split('@')[0] },
      receipt: { processes: 1, acknowledged: 1 },
    });
    expect(await accountOf(accountId)).toMatchObject({ tier: 'scale', version: 2 });
    expect(await eventsOf(accountId)).toMatchObject([
      { action: 'approval.requested', actor: asker.person.email },
      {
        action: 'account.edited',
        actor: asker.person.email,
        after: { tier: 'scale', approved_by: second.person.email },
      },
      { action: 'approval.given', actor: second.person.email },
    ]);
  });

  it('another name or tags, a few credits, one key and a changed list need no second person', async () => {
    const key = await keyWithList();
    const account = `/admin/accounts/${key.accountId}`;
    const labels = { name: 'Another', tags: ['paid'], external_id: 'crm-4711', reason };
    expect((await asker.patch(account, labels, ANY)).status).toBe(200);
    const grant = { kind: 'grant', amount: 1_000, reason };
    expect((await asker.post(`${account}/credits`, grant, ANY)).status).toBe(200);
    const list = { text: '127.0.0.1', reason };
    const path = `/admin/api-keys/${key.keyId}/allowed-ips`;
    expect((await asker.send('PUT', path, list, ANY)).status).toBe(200);
    const disable = { action: 'disable', disable_reason: 'unused', reason, confirm: '1' };
    const bulk = await asker.post(`/admin/bulk-key-changes?ids=${key.keyId}`, disable);
    expect(bulk).toMatchObject({ status: 200, body: { changed: 1 } });
  });

  it('credits above the limit are given when they are approved, once', async () => {
    const accountId = await stack.openAccount('pro');
    const path = `/admin/accounts/${accountId}/credits`;
    const left = async () => (await asker.get(path)).body.credits;
    const before = await left();
    const { id } = waiting(await asker.post(path, { kind: 'grant', amount: 1_001, reason }, ANY));
    expect(await left()).toEqual(before);
    const both = await Promise.all([approve(second, id), approve(second, id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const lines = await stack.dataSource.query(
      'SELECT amount::int, actor FROM credit_ledger WHERE account_id = $1',
      [accountId],
    );
    expect(lines).toHaveLength(1);
  });

  it('support requests credits for a line of the ledger, reads what was charged, and who may grant them decides', async () => {
    const accountId = await stack.openAccount('pro');
    const path = `/admin/accounts/${accountId}`;
    await asker.post(`${path}/credits`, { kind: 'adjustment', amount: -820, reason }, ANY);
    const [line] = (await support.get(`${path}/ledger`)).body.items as { id: string; request_id: string }[];
    const request = { amount: 820, ledger_line_id: line!.id, reason };
    const { granted } = (await support.get(`${path}/credits`)).body;
    const approval = waiting(await support.post(`${path}/credit-requests`, request));
    expect(approval).toMatchObject({
      kind: 'credit_request',
      is_own: true,
      may_decide: false,
      after: { amount: 820, line: { kind: 'adjustment', amount: -820, request_id: line!.request_id } },
    });
    expect((await support.get(`${path}/credits`)).body).toMatchObject({ granted });
    expect(code(await approve(support, approval.id))).toBe('staff_permission_missing');
    expect((await support.post(`/admin/approvals/${approval.id}/withdraw`)).body.status).toBe('withdrawn');
    const again = waiting(await support.post(`${path}/credit-requests`, request));
    expect((await approve(asker, again.id)).body.status).toBe('approved');
    expect((await support.get(`${path}/credits`)).body).toMatchObject({ granted: 820 });
    expect(await eventsOf(accountId)).toContainEqual({
      action: 'credits.grant',
      actor: support.person.email,
      after: expect.objectContaining({ amount: 820, approved_by: asker.person.email }) as unknown,
    });
  });

  it('a list is removed when that is approved; undoing what placed it waits too, unless a timer would do it', async () => {
    const { keyId } = await keyWithList();
    const path = `/admin/api-keys/${keyId}/allowed-ips`;
    const remove = { entries: null, reason, confirm: true, undo_after_minutes: 30 };
    const removal = waiting(await asker.send('PUT', path, remove, ANY));
    expect(removal).toMatchObject({ kind: 'list_removal', after: { allowed_ips: null } });
    expect((await asker.get(path)).body.status).toBe('enforced');
    expect(code(await asker.post(`${path}/undo`, { reason }, ANY))).toBe('approval_waiting');
    expect((await asker.post(`/admin/approvals/${removal.id}/withdraw`)).body.status).toBe('withdrawn');
    const undo = waiting(await asker.post(`${path}/undo`, { reason }, ANY));
    expect((await approve(second, undo.id)).status).toBe(200);
    const { body } = await asker.get(path);
    expect(body).toMatchObject({ status: 'no_list', undo: { changed_by: asker.person.email } });
    const list = { text: '127.0.0.1', reason, undo_after_minutes: 30 };
    expect((await asker.send('PUT', path, list, ANY)).status).toBe(200);
    expect((await asker.post(`${path}/undo`, { reason }, ANY)).status).toBe(200);
  });

  it('a list that lets in practically everything is stored, as it was given, when that is approved', async () => {
    const { keyId } = await keyWithList();
    const path = `/admin/api-keys/${keyId}/allowed-ips`;
    const entries = [{ address: '192.0.2.1', ends_at: '2099-01-01T00:00:00Z' }, { address: '64.0.0.0/2' }];
    const wide = { entries, reason, confirm: true };
    const { id } = waiting(await asker.send('PUT', path, wide, ANY));
    expect((await approve(second, id)).status).toBe(200);
    const { body } = await asker.get(path);
    expect(body.entries).toMatchObject([
      { cidr: '64.0.0.0/2' },
      { cidr: '192.0.2.1/32', ends_at: '2099-01-01T00:00:00.000Z' },
    ]);
  });

  it('a list that was removed for a time stays removed only when that is approved, too', async () => {
    const { keyId } = await keyWithList();
    const path = `/admin/api-keys/${keyId}/allowed-ips`;
    const remove = { entries: null, reason, confirm: true, undo_after_minutes: 30 };
    await approve(second, waiting(await asker.send('PUT', path, remove, ANY)).id);
    const keep = waiting(await asker.post(`${path}/keep`, { reason }, ANY));
    expect((await asker.get(path)).body).toMatchObject({
      undo: { due_at: expect.any(String) as unknown },
    });
    expect((await approve(second, keep.id)).status).toBe(200);
    expect((await asker.get(path)).body).toMatchObject({ status: 'no_list', undo: { due_at: null } });
  });

  it('a change of many keys is kept, and undone when it has no timer, only when that is approved', async () => {
    const { accountId } = await stack.issueKey();
    await stack.issueKey({ accountId });
    const keys = `account_id=${accountId}`;
    const disable = {
      action: 'disable',
      disable_reason: 'unused',
      reason,
      confirm: '2',
      undo_after_minutes: 60,
    };
    await approve(second, waiting(await asker.post(`/admin/bulk-key-changes?${keys}`, disable)).id);
    const statuses = async () =>
      ((await asker.get(`/admin/api-keys?${keys}`)).body.items as { status: string }[]).map(
        ({ status }) => status,
      );
    const { items } = (await asker.get('/admin/bulk-key-changes')).body as { items: { id: string }[] };
    const path = `/admin/bulk-key-changes/${items[0]!.id}`;
    const stored = waiting(await asker.post(`${path}/keep`, { reason }));
    expect((await approve(second, stored.id)).status).toBe(200);
    const undone = waiting(await asker.post(`${path}/undo`, { reason }));
    expect(await statuses()).toEqual(['disabled', 'disabled']);
    expect((await approve(second, undone.id)).status).toBe(200);
    expect(await statuses()).toEqual(['enabled', 'enabled']);
  });

  it('many keys are disabled when that is approved, with the undo timer from then on', async () => {
    const accountId = await stack.openAccount('pro');
    for (const name of ['one', 'two']) await stack.issueKey({ accountId, name });
    const path = `/admin/bulk-key-changes?account_id=${accountId}`;
    const disable = { action: 'disable', disable_reason: 'unused' };
    const body = { ...disable, reason, confirm: '2', undo_after_minutes: 60 };
    const approval = waiting(await asker.post(path, body));
    expect(approval).toMatchObject({ kind: 'bulk_change', after: { keys: 2, disable_reason: 'unused' } });
    expect(JSON.stringify(approval)).not.toContain('key_ids');
    expect((await approve(second, approval.id)).status).toBe(200);
    const { body: list } = await asker.get(`/admin/api-keys?account_id=${accountId}&status=disabled`);
    expect(list.total).toBe(2);
    const { body: changes } = await asker.get('/admin/bulk-key-changes');
    expect((changes.items as unknown[])[0]).toMatchObject({ changed: 2, changed_by: asker.person.email });
  });

  it('a key policy that ends many keys earlier is applied when that is approved, to the keys as they were seen', async () => {
    const accountId = await stack.openAccount('pro');
    const keys = [];
    for (const name of ['one', 'two']) keys.push(await stack.issueKey({ accountId, name }));
    const path = `/admin/accounts/${accountId}/key-policy`;
    await asker.send('PUT', path, { max_lifetime_days: 90, reason }, ANY);
    const request = { confirm: '2', reason, undo_after_minutes: 60 };
    const stale = waiting(await asker.post(`${path}/apply`, request, ANY));
    expect(stale).toMatchObject({ kind: 'key_policy', after: { keys: 2, max_lifetime_days: 90 } });
    await asker.send('PUT', path, { max_lifetime_days: 30, reason }, ANY);
    expect(code(await approve(second, stale.id))).toBe('approval_stale');
    const expiries = async () => {
      const { body } = await asker.get(`/admin/api-keys?account_id=${accountId}`);
      return (body.items as { expires_at: string | null }[]).map(({ expires_at }) => expires_at !== null);
    };
    expect(await expiries()).toEqual([false, false]);
    const { id } = waiting(await asker.post(`${path}/apply`, request, ANY));
    expect((await approve(second, id)).status).toBe(200);
    expect(await expiries()).toEqual([true, true]);
    const { body: changes } = await asker.get('/admin/bulk-key-changes');
    expect((changes.items as unknown[])[0]).toMatchObject({ changed: 2, changed_by: asker.person.email });
  });

  it('a key policy of a tier is applied when another administrator approves it, and not by one who may not', async () => {
    const other = await StaffClient.signedIn(stack, 'admin');
    const accountId = await stack.openAccount('business');
    for (const name of ['one', 'two']) await stack.issueKey({ accountId, name });
    const path = '/admin/key-policies/business';
    await second.send('PUT', path, { max_lifetime_days: 30, reason }, ANY);
    const requested = waiting(await second.post(`${path}/apply`, { confirm: '2', reason }, ANY));
    expect(requested).toMatchObject({ kind: 'tier_key_policy', after: { keys: 2, tier: 'business' } });
    expect((await approve(asker, requested.id)).status).toBe(403);
    expect((await approve(other, requested.id)).status).toBe(200);
    const { body } = await asker.get(`/admin/api-keys?account_id=${accountId}`);
    expect(body.items).toEqual([1, 2].map(() => expect.objectContaining({ expires_at: expect.any(String) })));
  });

  it('a key policy that begins to disable idle keys waits where they are many, and not where it disables fewer than before', async () => {
    const accountId = await stack.openAccount('pro');
    const keys = [];
    for (const name of ['one', 'two']) keys.push(await stack.issueKey({ accountId, name }));
    await stack.asOwner(`UPDATE api_key SET created_at = now() - interval '100 days' WHERE account_id = $1`, [
      accountId,
    ]);
    const path = `/admin/accounts/${accountId}/key-policy`;
    const policy = async () => (await asker.get(path)).body.policy;
    const warning = { idle_warn_days: 90, reason };
    const disabling = { ...warning, idle_disable_days: 14 };
    expect((await asker.send('PUT', path, warning, ANY)).status).toBe(200);
    const stale = waiting(await asker.send('PUT', path, disabling, ANY));
    expect(stale).toMatchObject({
      kind: 'idle_policy',
      target: { type: 'account', id: accountId },
      before: { idle_disable_days: null },
      after: { idle_disable_days: 14, keys: 2 },
    });
    expect(await policy()).toMatchObject({ idle_disable_days: null });
    expect((await asker.send('PUT', path, { ...warning, rotation_age_days: 50 }, ANY)).status).toBe(200);
    expect(code(await approve(second, stale.id))).toBe('approval_stale');
    expect((await asker.post(`/admin/approvals/${stale.id}/withdraw`)).status).toBe(200);
    const { id } = waiting(await asker.send('PUT', path, disabling, ANY));
    expect((await approve(second, id)).status).toBe(200);
    expect(await policy()).toMatchObject({ idle_disable_days: 14, rotation_age_days: null });
    expect((await eventsOf(accountId)).at(-2)).toMatchObject({
      action: 'key_policy.saved',
      actor: asker.person.email,
      after: { idle_disable_days: 14, approved_by: second.person.email },
    });

    const fewer = { ...disabling, idle_warn_days: 95, idle_disable_days: 20 };
    expect((await asker.send('PUT', path, fewer, ANY)).status).toBe(200);
    expect((await asker.send('PUT', path, { ...fewer, idle_warn_days: 101 }, ANY)).status).toBe(200);
    waiting(await asker.send('PUT', path, fewer, ANY));
    await stack.issueKey({ accountId, name: 'young' });
    await stack.asOwner(`UPDATE api_key SET disable_reason = 'unused' WHERE id = $1`, [keys[0]!.keyId]);
    expect((await asker.send('PUT', path, { ...fewer, idle_warn_days: 91 }, ANY)).status).toBe(200);
  });

  it('without its own policy an account is under that of its tier, which may disable its idle keys: that waits too', async () => {
    const other = await StaffClient.signedIn(stack, 'admin');
    const accountId = await stack.openAccount('creator');
    for (const name of ['one', 'two']) await stack.issueKey({ accountId, name });
    await stack.asOwner(`UPDATE api_key SET created_at = now() - interval '100 days' WHERE account_id = $1`, [
      accountId,
    ]);
    const ofTier = '/admin/key-policies/creator';
    const ofAccount = `/admin/accounts/${accountId}/key-policy`;
    const rules = { idle_warn_days: 90, idle_disable_days: 14, reason };
    const requested = waiting(await second.send('PUT', ofTier, rules, ANY));
    expect(requested).toMatchObject({
      kind: 'tier_idle_policy',
      target: { type: 'tier', id: 'creator' },
      after: { keys: 2 },
    });
    expect((await approve(asker, requested.id)).status).toBe(403);
    expect((await asker.send('PUT', ofAccount, { idle_warn_days: 90, reason }, ANY)).status).toBe(200);
    expect((await approve(other, requested.id)).status).toBe(200);
    const removal = waiting(await asker.send('DELETE', ofAccount, { reason }, ANY));
    expect(removal).toMatchObject({ kind: 'idle_policy', action: 'key_policy.removed', after: { keys: 2 } });
    expect((await approve(second, removal.id)).status).toBe(200);
    expect((await asker.get(ofAccount)).body.policy).toMatchObject({
      tier: 'creator',
      idle_disable_days: 14,
    });
    expect((await second.send('DELETE', ofTier, { reason }, ANY)).status).toBe(204);
  });

  it('is declined with a reason, or ends when its time is over', async () => {
    const accountId = await stack.openAccount('pro');
    const { id } = await requestTier(accountId);
    const declined = await second.post(`/admin/approvals/${id}/decline`, { reason: 'Not agreed' });
    expect(declined.body).toMatchObject({ status: 'declined', decision_reason: 'Not agreed' });
    expect(code(await approve(second, id))).toBe('approval_ended');
    const { id: late } = await requestTier(accountId);
    await stack.asOwner('UPDATE approval SET expires_at = now() WHERE id = $1', [late]);
    expect((await second.get(`/admin/approvals/${late}`)).body.status).toBe('expired');
    expect(code(await approve(second, late))).toBe('approval_ended');
    await stack.api.get(ApprovalsService).expireDue(10);
    expect(await eventsOf(accountId)).toMatchObject([
      { action: 'approval.requested' },
      { action: 'approval.declined' },
      { action: 'approval.requested' },
      { action: 'approval.expired', actor: 'approval-expiry' },
    ]);
    expect(await accountOf(accountId)).toMatchObject({ tier: 'pro', version: 1 });
  });

  it('lists page by page, by account, and to those who may only read', async () => {
    const accountId = await stack.openAccount('pro');
    const tier = await requestTier(accountId);
    const grant = { kind: 'grant', amount: 5_000, reason };
    const credits = waiting(await asker.post(`/admin/accounts/${accountId}/credits`, grant, ANY));
    const path = `/admin/approvals?account_id=${accountId}&limit=1`;
    const first = await support.get(path);
    expect(first.body).toMatchObject({ items: [{ id: credits.id, may_decide: false }], total: 2 });
    const next = await support.get(`${path}&cursor=${String(first.body.next_cursor)}`);
    expect(next.body).toMatchObject({ items: [{ id: tier.id }], next_cursor: null });
    // What waits comes first, however old it is, and says what would be left.
    expect(credits).toMatchObject({ before: { credits_left: 500_000 }, after: { credits_left: 505_000 } });
    await asker.post(`/admin/approvals/${credits.id}/withdraw`);
    expect((await support.get(path)).body).toMatchObject({ items: [{ id: tier.id }] });
    const last = await support.get(`${path}&cursor=${String((await support.get(path)).body.next_cursor)}`);
    expect(last.body).toMatchObject({ items: [{ id: credits.id }], next_cursor: null });
  });
});

describe('403', () => {
  it('nobody approves or declines their own, and nobody withdraws that of another', async () => {
    const { id } = await requestTier(await stack.openAccount('pro'));
    expect(code(await approve(asker, id))).toBe('own_approval');
    expect(code(await asker.post(`/admin/approvals/${id}/decline`, { reason }))).toBe('own_approval');
    expect(code(await second.post(`/admin/approvals/${id}/withdraw`))).toBe('not_own_approval');
    expect(code(await approve(support, id))).toBe('staff_permission_missing');
  });
});

describe('404', () => {
  it('an id that does not exist, or is none', async () => {
    for (const id of ['00000000-0000-4000-8000-000000000000', 'x'])
      expect([code(await second.get(`/admin/approvals/${id}`)), code(await approve(second, id))]).toEqual([
        'approval_not_found',
        'approval_not_found',
      ]);
  });
});

describe('409', () => {
  it('the same change of the same account waits once', async () => {
    const accountId = await stack.openAccount('pro');
    await requestTier(accountId);
    const again = await second.patch(`/admin/accounts/${accountId}`, { tier: 'business', reason }, ANY);
    expect(code(again)).toBe('approval_waiting');
    expect(again.text).toContain(asker.person.email);
  });

  it('what has changed since is not approved, and nothing happens', async () => {
    const accountId = await stack.openAccount('pro');
    const { id } = await requestTier(accountId);
    await asker.patch(`/admin/accounts/${accountId}`, { name: 'Renamed', reason }, ANY);
    expect((await second.get(`/admin/approvals/${id}`)).body).toMatchObject({ is_stale: true });
    expect(code(await approve(second, id))).toBe('approval_stale');
    expect(await accountOf(accountId)).toMatchObject({ name: 'Renamed', tier: 'pro' });

    const keys = [await stack.issueKey({ accountId }), await stack.issueKey({ accountId })];
    const bulk = { action: 'disable', disable_reason: 'unused', reason, confirm: '2' };
    const path = `/admin/bulk-key-changes?account_id=${accountId}`;
    const many = waiting(await asker.post(path, bulk));
    await asker.patch(`/admin/api-keys/${keys[0]!.keyId}`, { name: 'Renamed', reason }, ANY);
    expect(code(await approve(second, many.id))).toBe('approval_stale');
    const { body } = await asker.get(`/admin/api-keys?account_id=${accountId}&status=disabled`);
    expect(body.total).toBe(0);
  });

  it('who requested it must still be allowed to', async () => {
    const gone = await StaffClient.signedIn(stack, 'account_manager');
    const accountId = await stack.openAccount('pro');
    const request = { tier: 'scale', reason };
    const { id } = waiting(await gone.patch(`/admin/accounts/${accountId}`, request, ANY));
    await stack.asOwner(`UPDATE staff_auth.member SET role = 'support' WHERE id = $1`, [gone.person.id]);
    expect(code(await approve(second, id))).toBe('approval_requester_gone');
    expect(await accountOf(accountId)).toMatchObject({ tier: 'pro' });
  });
});

describe('422', () => {
  it('credits are requested for a line of the account itself', async () => {
    const [accountId, other] = [await stack.openAccount('pro'), await stack.openAccount('pro')];
    await asker.post(`/admin/accounts/${other}/credits`, { kind: 'grant', amount: 5, reason }, ANY);
    const { body } = await support.get(`/admin/accounts/${other}/ledger`);
    const foreign = (body.items as { id: string }[])[0]!.id;
    for (const ledger_line_id of [foreign, '4711', 'none', '99999999999999999999']) {
      const request = { amount: 5, ledger_line_id, reason };
      const response = await support.post(`/admin/accounts/${accountId}/credit-requests`, request);
      expect(response).toMatchObject({ status: 422, body: { errors: [{ pointer: '#/ledger_line_id' }] } });
    }
  });

  it('what would be refused is refused before it waits', async () => {
    const accountId = await stack.openAccount('pro');
    const stale = await asker.patch(
      `/admin/accounts/${accountId}`,
      { tier: 'scale', reason },
      { 'if-match': '"v9"' },
    );
    expect(code(stale)).toBe('precondition_failed');
    const entitlement = { enabled: true, reason };
    const path = `/admin/accounts/${accountId}/ip-allow-list-entitlement`;
    expect(code(await asker.send('PUT', path, entitlement, ANY))).toBe('feature_not_available');
    const { body } = await second.get('/admin/approvals?account_id=x');
    expect((body as unknown as Problem).errors).toMatchObject([{ accepted: 'the id of an account' }]);
    expect((await second.get(`/admin/approvals?account_id=${accountId}`)).body.total).toBe(0);
  });
});
