import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let admin: StaffClient;
let key: IssuedKey;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  admin = await StaffClient.signedIn(stack, 'admin');
  key = await stack.issueKey({ name: 'Typed' });
  const enabled = "UPDATE account SET ip_allow_list_enabled = true, tier = 'enterprise' WHERE id = $1";
  await stack.asOwner(enabled, [key.accountId]);
});

afterAll(async () => {
  await stack.stop();
});

const reason = 'A test';
const ANY = { 'if-match': '*' };

it.each([
  ['text: 203.0.113.0 255.255.255.0', { text: 'Our office: 203.0.113.0 255.255.255.0' }, '203.0.113.0/24'],
  ['text: a range', { text: '203.0.113.8 - 203.0.113.11' }, '203.0.113.8/30'],
  ['entries: a wildcard', { entries: [{ address: '203.0.113.*' }] }, '203.0.113.0/24'],
])('422 for an allow-list in another notation, with what to write (%s)', async (_, typed, blocks) => {
  const list = { ...typed, confirm: true, reason };
  const refused = await admin.send('PUT', `/admin/api-keys/${key.keyId}/allowed-ips`, list, ANY);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(`Write ${blocks}.`)]);
  expect((await stack.request('GET', '/v1/models', { secret: key.secret })).status).toBe(200);
});

it('an allow-list is taken out of an e-mail, once its other words are confirmed', async () => {
  const path = `/admin/api-keys/${key.keyId}/allowed-ips`;
  const list = { text: 'Hi Ana,\nit is 203.0.113.0/24.\nSam', reason };
  const asked = await admin.send('PUT', path, list, ANY);
  expect(asked.body).toMatchObject({
    code: 'confirmation_required',
    detail: expect.stringContaining('5 words ignored: Hi, Ana, it, is, Sam.'),
  });
  const saved = await admin.send('PUT', path, { ...list, confirm: true }, ANY);
  expect([saved.status, saved.body.entries]).toMatchObject([200, [{ cidr: '203.0.113.0/24', note: null }]]);
});

it.each([
  ['10,00', '10,00 can be read as 10 or as 1000.'],
  ['0,5', '0,5 can be read as 0.5 or as 5.'],
  ['0x10', '0x10 is not a number in decimal digits'],
])('422 for credits typed as %j, with what they may mean', async (typed, says) => {
  const { status, text, body } = await admin.patch(
    `/admin/api-keys/${key.keyId}`,
    { credit_limit: typed, reason },
    ANY,
  );
  expect([status, text]).toEqual([422, expect.stringContaining(says)]);
  expect(String(body.detail)).not.toContain('..');
});
