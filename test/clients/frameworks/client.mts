import {
  Greenroom,
  GreenroomError,
  ifMatch,
  verifyWebhook,
  type Introspected,
  type Schema,
} from 'greenroom-client';

const greenroom = new Greenroom({ url: 'https://greenroom.example', credential: 'grm_' });

export async function useAll(secret: string): Promise<Introspected | GreenroomError | undefined> {
  const account = await greenroom.post('/admin/accounts', {
    body: { name: 'Ana', tier: 'free', reason: 'A test' },
  });
  const params = { path: { account_id: account.id } };
  const edited: Schema['AccountDetailResponse'] = await greenroom.patch('/admin/accounts/{account_id}', {
    params: { ...params, header: ifMatch(account) },
    body: { name: 'Bo', reason: 'A test' },
  });
  for await (const { id, name } of greenroom.list('/admin/accounts', { params: { query: { tag: 'x' } } }))
    console.log(id.length, name);
  const csv: string = await greenroom.get('/admin/accounts/{account_id}/usage/export', {
    params,
    parseAs: 'text',
  });
  // @ts-expect-error The staff API has no such path.
  await greenroom.get('/admin/nothing');
  // @ts-expect-error The path needs an id.
  await greenroom.get('/admin/accounts/{account_id}');
  const key = { path: { key_id: csv } };
  // @ts-expect-error A change needs the version that it is based on.
  await greenroom.delete('/admin/api-keys/{key_id}', { params: key, body: { reason: csv } });
  // @ts-expect-error There is no tier of this name.
  await greenroom.post('/admin/accounts', { body: { name: edited.id, tier: 'none', reason: csv } });
  // @ts-expect-error It is one object, not a list.
  greenroom.list('/admin/me');
  const found = await greenroom.introspect(secret, {
    cost: 1,
    scope: 'text_to_speech',
    address: '192.0.2.1',
  });
  if (!found.pass) console.log(found.refusal.status, found.reason.gate);
  const event = verifyWebhook('', new Headers(), [secret, secret]) as { type: string };
  const [first] = await greenroom.introspectAll([{ key: event.type }]);
  return first ?? found;
}
