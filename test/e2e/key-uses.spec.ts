import { makeVoice } from '../support/previews';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const TEXT = 'The harbour was quiet that morning.';
const ANY = { 'if-match': '*' };
const MODEL = 'eleven_flash_v2_5';

let stack: Stack;
let staff: StaffClient;
let owner: IssuedKey;
let own: string;
let other: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  staff = await StaffClient.signedIn(stack, 'admin');
  owner = await stack.issueKey({ tier: 'enterprise' });
  ({ voiceId: own } = await makeVoice(stack, owner.secret));
  ({ voiceId: other } = await makeVoice(stack, owner.secret));
});

afterAll(async () => {
  await stack.stop();
});

const edit = async ({ keyId }: IssuedKey, settings: object) =>
  staff.patch(`/admin/api-keys/${keyId}`, { ...settings, reason: 'A test' }, ANY);

/** A key of the account with settings of staff. */
async function keyWith(settings: object): Promise<IssuedKey> {
  const key = await stack.issueKey({ accountId: owner.accountId });
  expect((await edit(key, settings)).status).toBe(200);
  return key;
}

const send = async (by: IssuedKey, path: string, body?: object) => {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'xi-api-key': by.secret, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: (isJson ? await response.json() : null) as { detail: object } };
};
const speak = async (by: IssuedKey, voice: string, model_id?: string) =>
  send(by, `/v1/text-to-speech/${voice}`, { text: TEXT, model_id });

it('a key with models and voices generates with these only', async () => {
  const key = await keyWith({ models: [MODEL], voices: [own] });
  expect((await speak(key, own, MODEL)).status).toBe(200);
  const refused = await speak(key, own);
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    expect.objectContaining({
      code: 'model_not_allowed',
      param: 'model_id',
      message: `This API key may not use the model eleven_multilingual_v2. It may use ${MODEL}.`,
    }),
  ]);
  expect((await speak(key, other, MODEL)).body.detail).toMatchObject({
    code: 'voice_not_allowed',
    param: 'voice_id',
    message: `This API key may not use the voice ${other}. It may use ${own}.`,
  });
  const change = { voice_description: 'Deeper and slower, please.', text: TEXT.repeat(4) };
  expect((await send(key, `/v1/text-to-voice/${other}/remix`, change)).body.detail).toMatchObject({
    code: 'voice_not_allowed',
  });
  const design = { voice_description: 'A calm narrator with a deep voice.', text: TEXT.repeat(4) };
  expect((await send(key, '/v1/text-to-voice/design', design)).body.detail).toMatchObject({
    code: 'model_not_allowed',
  });
});

it('an alias stands for its voice', async () => {
  const alias = 'Ab1'.repeat(7).slice(0, 20);
  const { status } = await staff.send(
    'PUT',
    `/admin/voices/${own}/aliases`,
    { aliases: [alias], reason: 'A test' },
    ANY,
  );
  expect(status).toBe(200);
  const key = await keyWith({ voices: [own] });
  expect((await speak(key, alias)).status).toBe(200);
});

it('refuses lists with what no request can name, and an empty one', async () => {
  const key = await stack.issueKey({ accountId: owner.accountId });
  const named = await edit(key, { models: ['eleven_v9'] });
  expect([named.status, JSON.stringify(named.body)]).toEqual([
    422,
    expect.stringContaining('eleven_multilingual_v2'),
  ]);
  expect((await edit(key, { models: [] })).status).toBe(422);
  expect((await edit(key, { voices: ['a voice'] })).status).toBe(422);
  expect((await edit(key, { models: null, voices: null })).status).toBe(200);
});

it('explain and /introspect decide alike, and keys that it creates may use no others', async () => {
  const key = await keyWith({ models: [MODEL], voices: [own] });
  const explained = await staff.post(`/admin/api-keys/${key.keyId}/explain`, {
    address: '127.0.0.1',
    method: 'POST',
    path: `/v1/text-to-speech/${other}`,
    model_id: MODEL,
  });
  expect(explained.body).toMatchObject({ allowed: false, decided_by: 'voice' });
  const created = await send(owner, '/v1/service-accounts', { name: 'Programs' });
  const id = String((created.body as Record<string, unknown>)['service-account-user-id']);
  const child = await send(key, `/v1/service-accounts/${id}/api-keys`, { name: 'Child', permissions: 'all' });
  const secret = (child.body as unknown as { 'xi-api-key': string })['xi-api-key'];
  expect((await speak({ ...key, secret }, other, MODEL)).body.detail).toMatchObject({
    code: 'voice_not_allowed',
  });
});

it('GET /v1/workspace/api-key says what the calling key may do, and what is left', async () => {
  const key = await keyWith({
    models: [MODEL],
    voices: [own],
    credit_limit: 1_000,
    permissions: ['text_to_speech'],
  });
  await speak(key, own, MODEL);
  const { status, body } = await send(key, '/v1/workspace/api-key');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    key_id: key.keyId,
    permissions: ['text_to_speech'],
    allowed_ips: null,
    client_address: '127.0.0.1',
    models: [MODEL],
    voices: [own],
    credits: { limit: 1_000, used: TEXT.length, remaining: 1_000 - TEXT.length },
    budgets: [],
  });
  expect(JSON.stringify(body)).not.toContain(key.secret);
});
