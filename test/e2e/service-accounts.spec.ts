import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { createHash, randomUUID } from 'node:crypto';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const clientOf = (secret: string) =>
  new ElevenLabsClient({ apiKey: secret, baseUrl: stack.baseUrl, maxRetries: 0 });
const call = async (secret: string) => (await stack.request('GET', '/v1/models', { secret })).status;

async function openServiceAccount({ secret }: { secret: string }, name = 'CI'): Promise<string> {
  const { body } = await stack.request('POST', '/v1/service-accounts', { secret, body: { name } });
  return String(body['service-account-user-id']);
}

async function createKey(
  { secret }: { secret: string },
  serviceAccountId: string,
  body: object = {},
): ReturnType<Stack['request']> {
  return stack.request('POST', `/v1/service-accounts/${serviceAccountId}/api-keys`, {
    secret,
    body: { name: 'ci key', permissions: 'all', ...body },
  });
}

async function keyOf({ secret }: IssuedKey, path: string): Promise<Record<string, unknown>> {
  const [, id, keyId] = /^(\w+)\/api-keys\/(.+)$/.exec(path)!;
  const { body } = await stack.request('GET', `/v1/service-accounts/${id}/api-keys`, { secret });
  return (body['api-keys'] as Record<string, unknown>[]).find((key) => key.key_id === keyId)!;
}

it('the official client library drives service accounts and their keys through their whole life', async () => {
  const owner = await stack.issueKey();
  const client = clientOf(owner.secret);
  const { serviceAccountUserId } = await client.serviceAccounts.create({ name: 'Nightly build' });

  const created = await client.serviceAccounts.apiKeys.create(serviceAccountUserId, {
    name: 'nightly',
    permissions: ['models_read', 'voices_read'],
    characterLimit: 1_000,
  });
  expect(await call(created.xiApiKey)).toBe(200);
  const listed = await client.serviceAccounts.apiKeys.list(serviceAccountUserId);
  expect(listed.apiKeys).toMatchObject([
    {
      name: 'nightly',
      keyId: created.keyId,
      serviceAccountUserId,
      hint: `grk_…${created.xiApiKey.slice(-4)}`,
      hashedXiApiKey: createHash('sha256').update(created.xiApiKey).digest('hex'),
      isDisabled: false,
      permissions: ['voices_read', 'models_read'],
      characterLimit: 1_000,
      characterCount: 0,
    },
  ]);

  await client.serviceAccounts.apiKeys.update(serviceAccountUserId, created.keyId, {
    name: 'nightly 2',
    permissions: ['voices_read'],
    characterLimit: 'clear',
  });
  expect(await call(created.xiApiKey)).toBe(403);
  await client.serviceAccounts.apiKeys.update(serviceAccountUserId, created.keyId, { isEnabled: false });
  expect(await call(created.xiApiKey)).toBe(401);
  const all = await client.serviceAccounts.list();
  expect(all.serviceAccounts).toMatchObject([
    {
      serviceAccountUserId,
      name: 'Nightly build',
      apiKeys: [{ name: 'nightly 2', isDisabled: true, permissions: ['voices_read'] }],
    },
  ]);
  expect(all.serviceAccounts[0]!.apiKeys[0]!.characterLimit).toBeUndefined();

  await client.serviceAccounts.apiKeys.update(serviceAccountUserId, created.keyId, {
    isEnabled: true,
    permissions: 'all',
  });
  expect(await call(created.xiApiKey)).toBe(200);
  await client.serviceAccounts.apiKeys.delete(serviceAccountUserId, created.keyId);
  expect(await call(created.xiApiKey)).toBe(401);
  expect((await client.serviceAccounts.apiKeys.list(serviceAccountUserId)).apiKeys).toEqual([]);

  const last = await client.serviceAccounts.apiKeys.create(serviceAccountUserId, {
    name: 'lost',
    permissions: ['voices_read'],
  });
  await clientOf(last.xiApiKey).workspaces.apiKeys.disable({ apiKeyName: 'self' });
  expect(await call(last.xiApiKey)).toBe(401);
  const { apiKeys } = await client.serviceAccounts.apiKeys.list(serviceAccountUserId);
  expect(apiKeys).toMatchObject([{ isDisabled: true, disableReason: 'self_disabled' }]);
});

describe('200', () => {
  it('the secret is in this one response, which no cache may keep; the audit log names the key that created it', async () => {
    const owner = await stack.issueKey();
    const id = await openServiceAccount(owner);
    const response = await createKey(owner, id);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(Object.keys(response.body).sort()).toEqual(['key_id', 'xi-api-key']);
    const events = await stack.dataSource.query<object[]>(
      'SELECT action, actor_kind, actor_id, account_id, address FROM audit_event WHERE target_id = ANY ($1) ORDER BY id',
      [[id, response.body.key_id]],
    );
    const actor = {
      actor_kind: 'customer',
      actor_id: owner.keyId,
      account_id: owner.accountId,
      address: '127.0.0.1',
    };
    expect(events).toEqual([
      { action: 'service_account.created', ...actor },
      { action: 'key.created', ...actor },
    ]);
  });

  it('"no_update", what is left out and {} change nothing; "clear" takes away', async () => {
    const owner = await stack.issueKey();
    const id = await openServiceAccount(owner);
    const { body } = await createKey(owner, id, {
      character_limit: 7,
      permissions: ['voices_read'],
      third_party_disable_allowed: true,
    });
    const path = `${id}/api-keys/${String(body.key_id)}`;
    const patch = (changes: object) =>
      stack.request('PATCH', `/v1/service-accounts/${path}`, { secret: owner.secret, body: changes });
    const before = await keyOf(owner, path);
    expect(before).toMatchObject({ character_limit: 7, third_party_disable_allowed: true });
    for (const nothing of [
      {},
      { name: null },
      // The official client sends an undefined setting as null.
      { character_limit: null },
      {
        is_enabled: 'no_update',
        permissions: 'no_update',
        character_limit: 'no_update',
        allowed_ips: 'no_update',
        third_party_disable_allowed: 'no_update',
        tts_concurrency_limit: 'no_update',
      },
    ]) {
      expect((await patch(nothing)).status).toBe(200);
      expect(await keyOf(owner, path)).toEqual(before);
    }
    const cleared = await patch({ character_limit: 'clear', third_party_disable_allowed: 'clear' });
    expect(cleared.status).toBe(200);
    expect(await keyOf(owner, path)).toEqual({
      ...before,
      character_limit: null,
      third_party_disable_allowed: null,
      platform_limits: { ...(before.platform_limits as object), credits: { limit: null, usage: 0 } },
    });
  });

  it('a limit of generations at once is set, shown and cleared, and no key gives more than it has', async () => {
    const owner = await stack.issueKey();
    const id = await openServiceAccount(owner);
    const { body } = await createKey(owner, id, { tts_concurrency_limit: 3, character_limit: 7 });
    const path = `${id}/api-keys/${String(body.key_id)}`;
    const limited = { secret: String(body['xi-api-key']) };
    const patch = ({ secret }: { secret: string }, tts_concurrency_limit: unknown) =>
      stack.request('PATCH', `/v1/service-accounts/${path}`, { secret, body: { tts_concurrency_limit } });
    const unlimited = { limit: null };
    expect(await keyOf(owner, path)).toMatchObject({
      platform_limits: {
        credits: { limit: 7, usage: 0 },
        pvc: unlimited,
        concurrency: { limit: 3 },
        dubbing_concurrency: unlimited,
        music_concurrency: unlimited,
      },
    });
    for (const more of [4, 'clear']) {
      const { status, body: refused } = await patch(limited, more);
      expect([status, refused.detail]).toMatchObject([
        403,
        { code: 'key_too_free', param: 'tts_concurrency_limit' },
      ]);
    }
    expect((await patch(limited, 2)).status).toBe(200);
    expect(await keyOf(owner, path)).toMatchObject({ platform_limits: { concurrency: { limit: 2 } } });
    expect((await patch(owner, 'clear')).status).toBe(200);
    expect(await keyOf(owner, path)).toMatchObject({ platform_limits: { concurrency: unlimited } });
  });

  it('an allow-list is set and cleared by the same rules as for staff', async () => {
    const owner = await stack.issueKey({ tier: 'enterprise' });
    const id = await openServiceAccount(owner);
    const { body } = await createKey(owner, id);
    const secret = String(body['xi-api-key']);
    const path = `${id}/api-keys/${String(body.key_id)}`;
    const patch = (allowed_ips: unknown) =>
      stack.request('PATCH', `/v1/service-accounts/${path}`, { secret: owner.secret, body: { allowed_ips } });
    expect((await patch(['203.0.113.0/24'])).status).toBe(403);
    await stack.dataSource.query('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [
      owner.accountId,
    ]);
    expect((await patch(['203.0.113.7', '203.0.113.0/24'])).status).toBe(200);
    expect(await keyOf(owner, path)).toMatchObject({ allowed_ips: ['203.0.113.0/24'] });
    expect(await call(secret)).toBe(403);
    expect((await patch('clear')).status).toBe(200);
    expect(await call(secret)).toBe(200);
  });
});

describe('401', () => {
  it('a key that disabled itself stays so until another caller enables it', async () => {
    const key = await stack.issueKey({ permissions: [] });
    const disable = () =>
      stack.request('POST', '/v1/workspaces/api-keys/disable?api_key_name=self', { secret: key.secret });
    expect((await disable()).status).toBe(200);
    expect((await disable()).status).toBe(401);
  });
});

describe('403', () => {
  it('a key without service_account_write', async () => {
    const { secret } = await stack.issueKey({ permissions: ['voices_read', 'workspace_write'] });
    for (const [method, path] of [
      ['GET', '/v1/service-accounts'],
      ['POST', '/v1/service-accounts'],
      ['GET', '/v1/service-accounts/x/api-keys'],
      ['POST', '/v1/service-accounts/x/api-keys'],
      ['PATCH', '/v1/service-accounts/x/api-keys/y'],
      ['DELETE', '/v1/service-accounts/x/api-keys/y'],
    ] as const) {
      const { status, body } = await stack.request(method, path, { secret });
      expect([path, status, body.detail?.code]).toEqual([path, 403, 'insufficient_permissions']);
    }
  });

  it('a key gives no permission away that it does not have itself, to a new key or to another one', async () => {
    const accountId = await stack.openAccount();
    const strong = await stack.issueKey({ accountId });
    const weak = await stack.issueKey({ accountId, permissions: ['service_account_write', 'voices_read'] });
    const id = await openServiceAccount(weak);
    for (const permissions of ['all', ['voices_read', 'voices_write']]) {
      const { status, body } = await createKey(weak, id, { permissions });
      expect([status, body.detail?.code]).toEqual([403, 'insufficient_permissions']);
    }
    const input = await createKey(weak, id, { permissions: ['voices_read'] });
    expect(input.status).toBe(200);
    const path = `/v1/service-accounts/${id}/api-keys/${String(input.body.key_id)}`;
    const patch = (secret: string) => stack.request('PATCH', path, { secret, body: { permissions: 'all' } });
    expect((await patch(weak.secret)).status).toBe(403);
    expect((await patch(strong.secret)).status).toBe(200);
  });

  it('what support has disabled, customers cannot enable', async () => {
    const owner = await stack.issueKey();
    const id = await openServiceAccount(owner);
    const { body } = await createKey(owner, id);
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const disabled = await manager.post(
      `/admin/api-keys/${String(body.key_id)}/disable`,
      { disable_reason: 'security_incident', reason: 'Seen in a repository' },
      { 'if-match': '"v1"' },
    );
    expect(disabled.status).toBe(200);
    const path = `${id}/api-keys/${String(body.key_id)}`;
    const response = await stack.request('PATCH', `/v1/service-accounts/${path}`, {
      secret: owner.secret,
      body: { is_enabled: true },
    });
    expect([response.status, response.body.detail?.code]).toEqual([403, 'forbidden']);
    expect(await keyOf(owner, path)).toMatchObject({ is_disabled: true, disable_reason: null });
  });
});

describe('a key that staff disable', () => {
  const disable = async (keyId: string) => {
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const body = { disable_reason: 'security_incident', reason: 'Seen in a repository' };
    const { status } = await manager.post(`/admin/api-keys/${keyId}/disable`, body, { 'if-match': '*' });
    expect(status).toBe(200);
  };

  it.each([
    ['JSON', 'application/json', '{}'],
    ['a form', 'multipart/form-data; boundary=x', '--x--\r\n'],
  ])('while a client holds back its body (%s) is refused when the body has come', async (_, type, body) => {
    const { accountId, keyId, secret } = await stack.issueKey();
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const consent = { given: true, reason: 'A test' };
    await manager.send('PUT', `/admin/accounts/${accountId}/recordings-consent`, consent, {
      'if-match': '*',
    });
    const connection = await RawConnection.to(stack.baseUrl);
    const path = type.startsWith('multipart')
      ? '/v1/voices/add'
      : '/v1/workspaces/api-keys/disable?api_key_name=self';
    connection.send(
      `POST ${path} HTTP/1.1\r\nhost: here\r\nxi-api-key: ${secret}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    // Its head has been read when a request that was sent later has a response.
    expect(await call(secret)).toBe(200);
    await disable(keyId);
    connection.send(body);
    await eventually(() => expect(connection.statuses).toEqual([401]));
  });

  it('does not become one that the customer has disabled, and works again only when staff enable it', async () => {
    const { keyId, accountId } = await stack.issueKey();
    await disable(keyId);
    const changes = stack.api.get(ApiKeyChangesService);
    const actor = {
      kind: 'system',
      id: 'test',
      name: 'test',
      role: null,
      address: null,
      requestId: null,
    } as const;
    const target = {
      actor,
      keyId,
      expected: 'any',
      reason: 'A test',
    } as const;
    const unchanged = expect.objectContaining({ code: 'status_unchanged' });
    await expect(changes.disable({ ...target, owner: { accountId } }, 'self_disabled')).rejects.toEqual(
      unchanged,
    );
    await expect(changes.enable(target, 'idle')).rejects.toEqual(unchanged);
    await expect(changes.enable({ ...target, owner: { accountId } })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe('404', () => {
  it("another account's service accounts and keys are as unknown as any", async () => {
    const mine = await stack.issueKey();
    const theirs = await stack.issueKey();
    const myId = await openServiceAccount(mine);
    const theirId = await openServiceAccount(theirs);
    const theirKey = String((await createKey(theirs, theirId)).body.key_id);
    const myOther = await openServiceAccount(mine);
    const elsewhere = String((await createKey(mine, myOther)).body.key_id);
    const responses = [];
    for (const path of [
      `${theirId}/api-keys/${theirKey}`,
      `${myId}/api-keys/${theirKey}`,
      `${myId}/api-keys/${elsewhere}`,
      `${myId}/api-keys/${mine.keyId}`,
      `${myId}/api-keys/${randomUUID()}`,
      `${myId}/api-keys/nonsense`,
      `${'x'.repeat(20)}/api-keys/${theirKey}`,
      `%00/api-keys/${theirKey}`,
    ]) {
      for (const method of ['PATCH', 'DELETE'] as const) {
        const { status, body } = await stack.request(method, `/v1/service-accounts/${path}`, {
          secret: mine.secret,
          body: { is_enabled: false },
        });
        responses.push([path, status, String(body.detail?.code).endsWith('_not_found')]);
      }
    }
    expect(responses.filter(([, status, isNotFound]) => status !== 404 || !isNotFound)).toEqual([]);
    for (const id of [theirId, '%00']) {
      const list = await stack.request('GET', `/v1/service-accounts/${id}/api-keys`, { secret: mine.secret });
      expect([id, list.status]).toEqual([id, 404]);
    }
    expect(await keyOf(theirs, `${theirId}/api-keys/${theirKey}`)).toMatchObject({ is_disabled: false });
  });
});

describe('400', () => {
  it('the twenty-first service account, even when all are requested at once', async () => {
    const owner = await stack.issueKey();
    const responses = await Promise.all(
      Array.from({ length: 25 }, (_, number) =>
        stack.request('POST', '/v1/service-accounts', {
          secret: owner.secret,
          body: { name: `Account ${number}` },
        }),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = responses.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(5);
    expect(refused[0]!.body.detail).toMatchObject({ code: 'service_account_limit_reached' });
  });
});

describe('422', () => {
  it.each([
    [{ name: undefined }, 'name'],
    [{ permissions: undefined }, 'permissions'],
    [{ permissions: ['everything'] }, 'permissions'],
    [{ permissions: 'no_update' }, 'permissions'],
    [{ character_limit: -1 }, 'character_limit'],
    [{ character_limit: 1.5 }, 'character_limit'],
    [{ allowed_ips: [] }, 'allowed_ips'],
    [{ allowed_ips: Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`) }, 'allowed_ips'],
    [{ allowed_ips: ['010.0.0.1'] }, 'allowed_ips'],
    [{ tts_concurrency_limit: 0 }, 'tts_concurrency_limit'],
    [{ dubbing_concurrency_limit: 3 }, 'dubbing_concurrency_limit'],
    [{ third_party_disable_allowed: 'perhaps' }, 'third_party_disable_allowed'],
  ])('a new key with %j', async (wrong, field) => {
    const owner = await stack.issueKey();
    const id = await openServiceAccount(owner);
    const { status, body } = await createKey(owner, id, wrong);
    expect(status).toBe(422);
    expect(body.detail![0]!.loc).toEqual(expect.arrayContaining(['body', field]));
    const list = await stack.request('GET', `/v1/service-accounts/${id}/api-keys`, { secret: owner.secret });
    expect(list.body['api-keys']).toEqual([]);
  });

  it.each(['', '?api_key_name=other', '?api_key_name=self&api_key_name=self'])(
    'self-disable with "%s"',
    async (query) => {
      const { secret } = await stack.issueKey();
      const path = `/v1/workspaces/api-keys/disable${query}`;
      expect((await stack.request('POST', path, { secret })).status).toBe(422);
      expect(await call(secret)).toBe(200);
    },
  );
});
