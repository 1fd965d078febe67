import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const POLICY = '/v1/workspaces/api-keys/third-party-disabling';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const setPolicy = ({ secret }: IssuedKey, allowed: unknown) =>
  stack.request('POST', POLICY, { secret, body: { third_party_disable_allowed: allowed } });

const disableSelf = ({ secret }: IssuedKey) =>
  stack.request('POST', '/v1/workspaces/api-keys/disable?api_key_name=self', { secret });

const works = async ({ secret }: IssuedKey) =>
  (await stack.request('GET', '/v1/models', { secret })).status === 200;

describe('200', () => {
  it('without a policy, every key disables itself, in every tier', async () => {
    for (const tier of ['free', 'enterprise'] as const) {
      const key = await stack.issueKey({ tier });
      expect((await disableSelf(key)).status).toBe(200);
      expect(await works(key)).toBe(false);
    }
  });

  it('keys with a setting of their own keep it, the others follow the account', async () => {
    const owner = await stack.issueKey();
    const { accountId } = owner;
    const [open, silent] = [
      await stack.issueKey({ accountId, thirdPartyDisableAllowed: true }),
      await stack.issueKey({ accountId }),
    ];
    expect((await setPolicy(owner, false)).body).toEqual({ status: 'ok' });
    expect((await disableSelf(open)).status).toBe(200);
    expect((await disableSelf(silent)).status).toBe(403);
    await setPolicy(owner, null);
    expect((await disableSelf(silent)).status).toBe(200);
  });

  it('is audited with the key that did it, and staff see it', async () => {
    const owner = await stack.issueKey();
    await setPolicy(owner, false);
    await setPolicy(owner, false);
    const events = await stack.dataSource.query<object[]>(
      `SELECT action, actor_id, before, after FROM audit_event WHERE target_id = $1 AND actor_kind = 'customer'`,
      [owner.accountId],
    );
    expect(events).toEqual([
      {
        action: 'account.edited',
        actor_id: owner.keyId,
        before: { third_party_disable_allowed: null },
        after: { third_party_disable_allowed: false },
      },
    ]);
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const { body } = await manager.get(`/admin/accounts/${owner.accountId}`);
    expect(body.third_party_disable_allowed).toBe(false);
  });
});

describe('403', () => {
  it('a key that may not disable itself gets the reason, and still works', async () => {
    const owner = await stack.issueKey();
    const { accountId } = owner;
    const closed = await stack.issueKey({ accountId, thirdPartyDisableAllowed: false });
    const silent = await stack.issueKey({ accountId });
    await setPolicy(owner, true);
    const refused = await disableSelf(closed);
    expect([refused.status, refused.body.detail!.code]).toEqual([403, 'forbidden']);
    expect(refused.body.detail!.message).toContain('third_party_disable_allowed is false for the key');
    await setPolicy(owner, false);
    const refusedToo = await disableSelf(silent);
    expect(refusedToo.body.detail!.message).toContain('false for its account');
    expect([await works(closed), await works(silent)]).toEqual([true, true]);
  });

  it('the policy needs workspace_write', async () => {
    const key = await stack.issueKey({ permissions: ['workspace_read', 'service_account_write'] });
    const { status, body } = await setPolicy(key, true);
    expect([status, body.detail!.code]).toEqual([403, 'insufficient_permissions']);
  });
});

describe('422', () => {
  it.each([['perhaps'], [2], [undefined]])('%j', async (allowed) => {
    const { status, body } = await setPolicy(await stack.issueKey(), allowed);
    expect(status).toBe(422);
    expect(body.detail![0]!.loc).toEqual(['body', 'third_party_disable_allowed']);
  });
});
