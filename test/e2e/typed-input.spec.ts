import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let admin: StaffClient;
let key: IssuedKey;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  admin = await StaffClient.signedIn(stack, 'admin');
  key = await stack.issueKey({ name: 'Typed' });
  await stack.asOwner('UPDATE account SET ip_allow_list_enabled = true WHERE id = $1', [key.accountId]);
});

afterAll(async () => {
  await stack.stop();
});

const reason = 'A test';
const ANY = { 'if-match': '*' };

it('422 for a netmask in an allow-list, which would be a host that nobody has', async () => {
  const list = { text: '203.0.113.0 255.255.255.0', confirm: true, reason };
  const refused = await admin.send('PUT', `/admin/api-keys/${key.keyId}/allowed-ips`, list, ANY);
  expect([refused.status, refused.text]).toEqual([
    422,
    expect.stringContaining('255.255.255.0 is a netmask, not an address.'),
  ]);
  expect((await stack.request('GET', '/v1/models', { secret: key.secret })).status).toBe(200);
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
