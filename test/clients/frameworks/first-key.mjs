import { Greenroom, ifMatch } from 'greenroom-client';

const { GREENROOM_URL: url, MANAGEMENT_CREDENTIAL, SERVICE_CREDENTIAL } = process.env;
const greenroom = new Greenroom({ url, credential: MANAGEMENT_CREDENTIAL });
const service = new Greenroom({ url, credential: SERVICE_CREDENTIAL });
const reason = 'The sign-up page opened it';

const account = await greenroom.post('/admin/accounts', {
  body: { name: 'Ana', tier: 'enterprise', reason },
});
const path = { account_id: account.id };

await greenroom.post('/admin/accounts/{account_id}/credits', {
  params: { path, header: ifMatch(account) },
  body: { kind: 'grant', amount: 500, reason },
});
await greenroom.put('/admin/accounts/{account_id}/ip-allow-list-entitlement', {
  params: { path, header: { 'If-Match': '*' } },
  body: { enabled: true, reason },
});
const key = await greenroom.post('/admin/accounts/{account_id}/api-keys', {
  params: { path },
  body: { name: 'First key', permissions: 'all', allowed_ips: ['127.0.0.1/32'], reason },
});

const call = () => fetch(`${url}/v1/user`, { headers: { 'xi-api-key': key.secret } });
const served = await call();
const spoken = await service.introspect(key.secret, { address: '127.0.0.1', cost: 120, operation: 'speech' });

const disabled = await greenroom.post('/admin/api-keys/{key_id}/disable', {
  params: { path: { key_id: key.id }, header: ifMatch(key) },
  body: { disable_reason: 'requested_by_customer', reason },
});
const refused = await call();
const usage = await greenroom.get('/admin/accounts/{account_id}/usage', { params: { path } });

const charged = spoken.pass && spoken.key.cost;
const { receipt } = disabled;
const statuses = { served: served.status, refused: refused.status };
console.log(JSON.stringify({ ...statuses, charged, receipt, credits: usage.credits }));
