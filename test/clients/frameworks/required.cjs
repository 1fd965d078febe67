const { createHmac } = require('node:crypto');
const { Greenroom, verifyWebhook } = require('greenroom-client');

const greenroom = new Greenroom({
  url: process.env.GREENROOM_URL,
  credential: process.env.GREENROOM_CREDENTIAL,
});

async function main() {
  const names = [];
  for await (const { name } of greenroom.list('/admin/accounts', { params: { query: { limit: 1 } } }))
    names.push(name);
  const refusal = await greenroom.get('/admin/staff').catch((error) => error);
  const body = '{"type":"test"}';
  const t = Math.floor(Date.now() / 1000);
  const v0 = createHmac('sha256', 'new').update(`${t}.${body}`).digest('hex');
  const event = verifyWebhook(body, { 'ElevenLabs-Signature': `t=${t},v0=${v0}` }, ['old', 'new']);
  const { status, code, requestId } = refusal;
  console.log(JSON.stringify({ names, refusal: { status, code, requestId }, event }));
}

void main();
