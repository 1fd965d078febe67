import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { WebhookReceiver } from '../support/webhook-receiver';

const PATH = '/v1/workspace/webhooks';
const EVENTS = [
  'voice.reviewed',
  'voice.appeal_answered',
  'voice.safety_changed',
  'key.created',
  'key.rotated',
  'key.expiring',
  'key.limited',
  'key.disabled',
  'quota.reached',
  'alert.raised',
];

const stack = Stack.ofFile({ env: { WEBHOOK_PRIVATE_NETWORKS: 'allow' } });
const receiver = WebhookReceiver.ofFile();
const manager = StaffClient.ofFile(stack, 'account_manager');

const clientOf = ({ secret }: IssuedKey) =>
  new ElevenLabsClient({ apiKey: secret, baseUrl: stack.baseUrl, maxRetries: 0 });

const settings = (fields: object = {}) => ({
  settings: { auth_type: 'hmac', name: 'Ours', webhook_url: receiver.url('/unused'), ...fields },
});

async function send(method: string, { secret }: IssuedKey, id: string, body?: object) {
  const response = await stack.request(method, id ? `${PATH}/${id}` : PATH, { secret, body });
  return { status: response.status, body: response.body, text: response.bytes.toString() };
}

async function create(owner: IssuedKey, fields?: object): Promise<{ id: string; secret: string }> {
  const { status, body } = await send('POST', owner, '', settings(fields));
  expect(status).toBe(200);
  return { id: String(body.webhook_id), secret: String(body.webhook_secret) };
}

async function list(owner: IssuedKey): Promise<Record<string, unknown>[]> {
  const { body } = await send('GET', owner, '');
  return body.webhooks as Record<string, unknown>[];
}

describe('200', () => {
  it('a webhook that the client library creates receives signed events, and none after it is deleted', async () => {
    const owner = await stack.issueKey();
    const client = clientOf(owner);
    const { webhookId, webhookSecret } = await client.webhooks.create({
      settings: { authType: 'hmac', name: 'Ours', webhookUrl: receiver.url('/signed') },
    });
    const leave = await stack.issueKey({ accountId: owner.accountId });
    await clientOf(leave).workspaces.apiKeys.disable({ apiKeyName: 'self' });
    await eventually(() => expect(receiver.at('/signed')).toHaveLength(1));
    const { body, headers } = receiver.at('/signed')[0]!;
    const signature = String(headers['elevenlabs-signature']);
    const event: unknown = await client.webhooks.constructEvent(body, signature, webhookSecret!);
    expect(event).toMatchObject({ type: 'key.disabled', data: { key_id: leave.keyId } });

    const { webhooks } = await client.webhooks.list();
    expect(webhooks).toMatchObject([
      {
        webhookId,
        name: 'Ours',
        webhookUrl: receiver.url('/signed'),
        isDisabled: false,
        isAutoDisabled: false,
        authType: 'hmac',
        events: EVENTS.toSorted(),
      },
    ]);
    expect(JSON.stringify(webhooks)).not.toContain(webhookSecret);
    expect(await client.webhooks.delete(webhookId)).toEqual({ status: 'ok' });
    expect((await client.webhooks.list()).webhooks).toEqual([]);
  });

  it('is the webhook that staff see, and the secret is in no other response', async () => {
    const owner = await stack.issueKey();
    const { id, secret } = await create(owner);
    const seen = await manager.get(`/admin/accounts/${owner.accountId}/webhooks/${id}`);
    expect(seen.body).toMatchObject({ id, name: 'Ours', enabled: true, secret_hint: secret.slice(-4) });
    expect(seen.text).not.toContain(secret);
  });

  it('changes name, events and state, with the key on record as the one that did', async () => {
    const owner = await stack.issueKey();
    const { id } = await create(owner);
    const edit = (fields: object) =>
      send('PATCH', owner, id, { name: 'Ours', is_disabled: false, ...fields });
    expect(await edit({ name: 'Renamed', events: ['quota.reached'], retry_enabled: true })).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await list(owner)).toMatchObject([{ name: 'Renamed', events: ['quota.reached'] }]);
    await edit({ name: 'Renamed', is_disabled: true, request_headers: {} });
    expect(await list(owner)).toMatchObject([
      { is_disabled: true, is_auto_disabled: false, events: ['quota.reached'] },
    ]);
    await edit({ name: 'Renamed' });
    expect(await list(owner)).toMatchObject([{ is_disabled: false }]);
    await send('DELETE', owner, id);
    const events = await stack.dataSource.query<{ action: string; actor_kind: string; actor_id: string }[]>(
      'SELECT action, actor_kind, actor_id FROM audit_event WHERE target_id = $1 ORDER BY id',
      [id],
    );
    expect(events.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.edited',
      'webhook.edited',
      'webhook.edited',
      'webhook.deleted',
    ]);
    for (const event of events)
      expect(event).toMatchObject({ actor_kind: 'customer', actor_id: owner.keyId });
  });
});

describe('400', () => {
  it('an account has ten webhooks at most, those of staff included', async () => {
    const owner = await stack.issueKey();
    await manager.post(`/admin/accounts/${owner.accountId}/webhooks`, {
      name: 'Of staff',
      url: receiver.url('/unused'),
      events: EVENTS,
      reason: 'A test',
    });
    for (let count = 2; count <= 10; count += 1) await create(owner);
    const { status, body } = await send('POST', owner, '', settings());
    expect([status, body.detail!.code]).toEqual([400, 'webhook_limit_reached']);
  });
});

describe('403', () => {
  it('every operation needs webhooks_write', async () => {
    const owner = await stack.issueKey({ permissions: ['workspace_read', 'workspace_write'] });
    for (const [method, id] of [
      ['GET', ''],
      ['POST', ''],
      ['PATCH', 'x'],
      ['DELETE', 'x'],
    ] as const) {
      const { status, body } = await send(method, owner, id, method === 'GET' ? undefined : settings());
      expect([method, status, body.detail!.code]).toEqual([method, 403, 'insufficient_permissions']);
    }
  });

  it('a webhook that staff have disabled is enabled by staff only', async () => {
    const owner = await stack.issueKey();
    const { id } = await create(owner);
    const { status } = await manager.patch(
      `/admin/accounts/${owner.accountId}/webhooks/${id}`,
      { enabled: false, reason: 'A test' },
      { 'if-match': '*' },
    );
    expect(status).toBe(200);
    const refused = await send('PATCH', owner, id, { name: 'Ours', is_disabled: false });
    expect([refused.status, refused.body.detail!.code]).toEqual([403, 'forbidden']);
    expect((await send('PATCH', owner, id, { name: 'Renamed', is_disabled: true })).status).toBe(200);
    expect(await list(owner)).toMatchObject([{ name: 'Renamed', is_disabled: true }]);
  });
});

describe('404', () => {
  it("another account's webhook is neither listed nor found", async () => {
    const [owner, other] = [await stack.issueKey(), await stack.issueKey()];
    const { id } = await create(other);
    expect(await list(owner)).toEqual([]);
    for (const unknown of [id, 'no-id']) {
      const edited = await send('PATCH', owner, unknown, { name: 'Mine', is_disabled: true });
      const deleted = await send('DELETE', owner, unknown);
      for (const { status, body } of [edited, deleted])
        expect([status, body.detail!.code]).toEqual([404, 'webhook_not_found']);
    }
    expect(await list(other)).toMatchObject([{ name: 'Ours', is_disabled: false }]);
  });
});

describe('422', () => {
  it.each([
    [{ webhook_url: 'http://169.254.169.254/' }, '169.254.169.254 is an internal address'],
    [{ webhook_url: 'https://name.invalid/' }, 'name.invalid'],
    [{ webhook_url: 'file:///etc/passwd' }, 'its scheme is file:'],
    [{ webhook_url: undefined }, 'Field required'],
    [{ auth_type: 'oauth2' }, "'hmac'"],
    [{ name: '' }, 'at least 1 character'],
    [{ request_headers: { authorization: 'Bearer x' } }, 'empty object or left out'],
  ])('creating with %j', async (fields, text) => {
    const owner = await stack.issueKey();
    const refused = await send('POST', owner, '', settings(fields));
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(text);
    expect(await list(owner)).toEqual([]);
  });

  it.each([
    [{ retry_enabled: false }, 'always tried again'],
    [{ request_headers: { 'x-own': '1' } }, 'empty object or left out'],
    [
      { events: ['speech_to_text'] },
      "'voice.reviewed', 'voice.appeal_answered', 'voice.safety_changed', 'key.created', 'key.rotated', 'key.expiring', 'key.limited', 'key.disabled', 'quota.reached' or 'alert.raised'",
    ],
    [{ events: [] }, 'at least 1 item'],
    [{ is_disabled: undefined }, 'Field required'],
  ])('editing with %j', async (fields, text) => {
    const owner = await stack.issueKey();
    const { id } = await create(owner);
    const refused = await send('PATCH', owner, id, { name: 'Renamed', is_disabled: true, ...fields });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(text);
    expect(await list(owner)).toMatchObject([{ name: 'Ours', is_disabled: false }]);
  });
});
