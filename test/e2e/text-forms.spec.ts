import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';

const stack = Stack.ofFile({ worker: false });
const admin = StaffClient.ofFile(stack, 'admin');

const reason = 'A test';
/** The same text as one system types it, and as another one does. */
const forms = (text: string) => [text.normalize('NFC'), text.normalize('NFD')] as const;
const namesAt = async (path: string, query: Record<string, string>) => {
  const { status, body, text } = await admin.get(`${path}?${new URLSearchParams(query).toString()}`);
  expect([status, text]).toEqual([200, expect.anything()]);
  return (body.items as { name: string }[]).map(({ name }) => name);
};

it('an account, a key and what another system calls them are the same however their letters are composed', async () => {
  const [composed, decomposed] = forms('Café Zoë');
  const { body: account } = await admin.post('/admin/accounts', {
    name: decomposed,
    tier: 'pro',
    external_id: `${decomposed} 1`,
    reason,
  });
  expect([account.name, account.external_id]).toEqual([composed, `${composed} 1`]);
  const twin = { name: 'Twin', tier: 'pro', external_id: `${composed} 1`, reason };
  expect((await admin.post('/admin/accounts', twin)).status).toBe(409);
  for (const externalId of forms(`${composed} 1`))
    expect(await namesAt('/admin/accounts', { external_id: externalId })).toEqual([composed]);

  const key = { name: decomposed, permissions: 'all', external_id: decomposed, reason };
  expect((await admin.post(`/admin/accounts/${String(account.id)}/api-keys`, key)).status).toBe(201);
  for (const externalId of forms(composed))
    expect(await namesAt('/admin/api-keys', { external_id: externalId })).toEqual([composed]);
});

it('a search finds a name however it is composed, without its accents, and takes % and _ literally', async () => {
  const [composed, decomposed] = forms('Señor Ångström 5%_a');
  const { accountId } = await stack.issueKey({ name: composed });
  await stack.issueKey({ accountId, name: 'Senor 55a' });
  await storeVoice(stack, { accountId, name: composed, enqueue: false });
  await admin.patch(`/admin/accounts/${accountId}`, { name: composed, reason }, { 'if-match': '*' });
  const terms = [composed, decomposed, 'SEÑOR ÅNG'.normalize('NFD'), 'senor angstrom', 'ångstrom', '5%_A'];
  for (const path of ['/admin/accounts', '/admin/api-keys', '/admin/voices'])
    for (const search of terms)
      expect([search, await namesAt(path, { search })]).toEqual([search, [composed]]);
  for (const q of terms) {
    const { body } = await admin.get(`/admin/search?${new URLSearchParams({ q }).toString()}`);
    const found = (body.items as { kind: string; name: string }[]).filter(({ name }) => name === composed);
    expect([q, found.map(({ kind }) => kind).sort()]).toEqual([q, ['account', 'key', 'voice']]);
  }
});

it('a customer finds a voice without its accents, and a contact is found so too', async () => {
  const { accountId, secret } = await stack.issueKey({ name: 'Contact key' });
  await storeVoice(stack, { accountId, name: 'Chloé', enqueue: false });
  for (const search of [...forms('Chloé'), 'chloe']) {
    const { body } = await stack.request('GET', `/v2/voices?search=${encodeURIComponent(search)}`, {
      secret,
    });
    expect([search, body.total_count]).toEqual([search, 1]);
  }
  const contact = { name: 'René', channel: 'email', email: 'r@customer.test', categories: ['keys'], reason };
  expect((await admin.post(`/admin/accounts/${accountId}/contacts`, contact)).status).toBe(201);
  for (const part of [...forms('René'), 'rene'])
    expect(await namesAt('/admin/api-keys', { contact: part })).toEqual(['Contact key']);
});
