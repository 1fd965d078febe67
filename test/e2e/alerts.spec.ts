import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Alerts } from '../../libs/alerts/alerts';
import type { Noticed } from '../../libs/database/alerts/alert.repository';
import { chargeDaysAgo } from '../support/charges';
import { eventually } from '../support/eventually';
import { MailServer, type ReceivedMail } from '../support/mail-server';
import { encodeCursor } from '../../apps/api/src/http/pagination';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { TemporaryFolder } from '../support/temporary-folder';
import { WebhookReceiver } from '../support/webhook-receiver';

const REASON = { reason: 'The customer requested it' };
const CATEGORIES = ['credits', 'keys', 'security'];

let stack: Stack;
let mails: MailServer;
let receiver: WebhookReceiver;
let manager: StaffClient;
let admin: StaffClient;

const folder = TemporaryFolder.make('greenroom-alerts-');
const TABLE = '192.0.2.0,192.0.2.255,DE\n198.51.100.0,198.51.100.255,FR\n';
const COUNTRIES = join(folder.path, 'countries.csv');

beforeAll(async () => {
  writeFileSync(COUNTRIES, TABLE);
  [mails, receiver] = await Promise.all([MailServer.start(), WebhookReceiver.start()]);
  stack = await Stack.start({
    env: {
      WEBHOOK_PRIVATE_NETWORKS: 'allow',
      SMTP_URL: mails.url,
      MAIL_FROM: 'Greenroom <alerts@greenroom.test>',
      PUBLIC_URL: 'https://greenroom.test',
      COUNTRY_TABLE_PATH: COUNTRIES,
    },
  });
  manager = await StaffClient.signedIn(stack, 'account_manager');
  admin = await StaffClient.signedIn(stack, 'admin');
});
afterAll(async () => {
  await stack.stop();
  await mails.stop();
  await receiver.stop();
  folder.remove();
});

const newAddress = () => `${randomUUID()}@customer.test`;

interface Added {
  id: string;
  route: string;
  email: string;
}

async function addContact(accountId: string, fields: Record<string, unknown> = {}): Promise<Added> {
  const email = newAddress();
  const body = { name: 'Ana', channel: 'email', email, categories: CATEGORIES, ...REASON, ...fields };
  const { status, body: added, text } = await manager.post(`/admin/accounts/${accountId}/contacts`, body);
  expect([status, text]).toEqual([201, expect.anything()]);
  const id = String(added.id);
  return { id, route: `/admin/accounts/${accountId}/contacts/${id}`, email };
}

async function addHook(accountId: string, fields: Record<string, unknown> = {}): Promise<string> {
  const path = `/${randomUUID()}`;
  const hook = { channel: 'chat', email: undefined, url: receiver.url(path), ...fields };
  await addContact(accountId, hook);
  return path;
}

async function mailsTo(email: string, count: number): Promise<ReceivedMail[]> {
  await eventually(() => expect(mails.to(email)).toHaveLength(count));
  return mails.to(email);
}

/** Tells something as other code does. */
async function notice(notice: Parameters<Alerts['notice']>[1]): Promise<void> {
  await stack.dataSource.transaction((em) => stack.api.get(Alerts).notice(em, notice));
}

const leak = (accountId: string, keyId: string, period = 'always') =>
  ({ kind: 'key_leaked', accountId, keyId, period, data: { place: 'a public repository' } }) as const;

describe('a contact', () => {
  it('receives one e-mail, with a link to unsubscribe that works', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const { email, route } = await addContact(accountId, { name: 'Zoë <b>' });
    await notice(leak(accountId, keyId));
    await notice(leak(accountId, keyId));
    const [mail] = await mailsTo(email, 1);
    expect(mail!.source).toMatch(/^From: Greenroom <alerts@greenroom\.test>$/m);
    expect(mail!.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    expect(mail!.source).toContain('multipart/alternative');
    expect(mail!.text).toContain('was found where others can read it');
    const link = /^List-Unsubscribe: <https:\/\/greenroom\.test([^>]+)>$/m.exec(mail!.source)?.[1] ?? '';

    const page = await stack.request('GET', link);
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer']);
    expect((await manager.get(route)).body.unsubscribed_at).toBeNull();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const request = { body: 'List-Unsubscribe=One-Click', headers: form };
    expect((await stack.request('POST', link, request)).status).toBe(200);
    const parts = new FormData();
    parts.set('List-Unsubscribe', 'One-Click');
    expect((await fetch(stack.baseUrl + link, { method: 'POST', body: parts })).status).toBe(200);
    expect((await manager.get(route)).body.unsubscribed_at).toEqual(expect.any(String));

    await notice(leak(accountId, keyId, 'again'));
    expect((await manager.post(`${route}/test`, REASON)).status).toBe(409);
    // The first letter of the signature: not all bits of the last one count.
    const forged = link.replace(/(?<=\.)./, (first) => (first === 'A' ? 'B' : 'A'));
    for (const path of [forged, '/unsubscribe/x', `/unsubscribe/${keyId}.`])
      expect([path, (await stack.request('POST', path, request)).status]).toEqual([path, 404]);
    expect(mails.to(email)).toHaveLength(1);
  });

  it.each([
    ['PagerDuty', '/v2/enqueue?routing_key=', { routing_key: 'KEY', event_action: 'trigger' }, undefined],
    ['Opsgenie', '/v2/alerts?api_key=', { message: 'A leaked API key' }, 'GenieKey KEY'],
  ])('of %s gets what it takes, its key where that is read', async (_, path, body, authorization) => {
    const { accountId, keyId } = await stack.issueKey();
    const prefix = `/${randomUUID()}`;
    await addHook(accountId, { url: `${receiver.url(prefix + path)}KEY` });
    await notice(leak(accountId, keyId));
    const posted = () => receiver.at(`${prefix}${path.split('?')[0]}`);
    await eventually(() => expect(posted()).toHaveLength(1));
    expect(JSON.parse(posted()[0]!.body)).toMatchObject(body);
    expect(posted()[0]!.body).toContain('was found where others can read it');
    expect(posted()[0]!.headers.authorization).toBe(authorization);
  });

  it('is added once, in whatever writing its address is given, and so is a hook', async () => {
    const accountId = await stack.openAccount();
    const path = `/admin/accounts/${accountId}/contacts`;
    const { id, route } = await addContact(accountId, { email: 'billing@münchen.example' });
    expect((await manager.get(route)).body.email).toBe('billing@xn--mnchen-3ya.example');
    const ana = { name: 'Ana again', channel: 'email', categories: CATEGORIES, ...REASON };
    for (const email of ['billing@xn--mnchen-3ya.example', ' Billing@mu\u0308nchen.example\u200b']) {
      const { status, body } = await manager.post(path, { ...ana, email });
      expect([status, body.code, body.detail]).toEqual([
        409,
        'contact_exists',
        expect.stringContaining('Ana'),
      ]);
    }
    const other = await addContact(accountId);
    const moved = { email: 'BILLING@münchen.example', ...REASON };
    expect((await manager.patch(other.route, moved, { 'if-match': '*' })).status).toBe(409);
    expect((await manager.patch(route, { ...moved, name: 'Renamed' }, { 'if-match': '*' })).status).toBe(200);
    const hook = { ...ana, channel: 'chat', url: receiver.url('/once') };
    expect((await manager.post(path, hook)).status).toBe(201);
    expect((await manager.post(path, hook)).body).toMatchObject({ code: 'contact_exists' });
    expect((await manager.get(path)).body.items).toHaveLength(3);
    expect(id).toEqual(expect.any(String));
  });

  it('of an account and of the installation with one address receives an alert once', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const { email } = await addContact(accountId);
    const ofAll = { name: 'Security', channel: 'email', email, categories: ['security'], ...REASON };
    expect((await admin.post('/admin/contacts', ofAll)).status).toBe(201);
    const { email: witness } = await addContact(accountId);
    await notice(leak(accountId, keyId));
    await mailsTo(witness, 1);
    await mailsTo(email, 1);
    const [{ messages } = { messages: 0 }] = await stack.dataSource.query<{ messages: number }[]>(
      `SELECT count(*)::int AS messages FROM alert_message WHERE recipient = $1`,
      [email],
    );
    expect(messages).toBe(1);
  });

  it('hears only what it wants to, through a hook as well', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const [credits, security] = [
      await addContact(accountId, { categories: ['credits'] }),
      await addHook(accountId, { categories: ['security'] }),
    ];
    const leaked = { disable_reason: 'exposed_publicly', ...REASON };
    const disabled = await manager.post(`/admin/api-keys/${keyId}/disable`, leaked, { 'if-match': '*' });
    expect(disabled.status).toBe(200);
    await eventually(() => expect(receiver.at(security)).toHaveLength(1));
    expect(JSON.parse(receiver.at(security)[0]!.body)).toEqual({
      text: expect.stringContaining('*A leaked API key*'),
    });
    expect(mails.to(credits.email)).toEqual([]);
  });

  it('receives an alert at each threshold of credits of its rules, as the webhook of the account does', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const { email } = await addContact(accountId, { categories: ['credits'] });
    const rules = `/admin/accounts/${accountId}/alert-rules`;
    const rule = { kind: 'credits_used', threshold: 10, channels: ['email'], ...REASON };
    expect((await manager.post(rules, rule)).status).toBe(201);
    const { body } = await manager.get(`/admin/accounts/${accountId}`);
    const { limit } = (body.usage as { credits: { limit: number } }).credits;
    const cost = Math.ceil(limit * 0.9);
    await chargeDaysAgo(stack, { accountId, keyId, secret: '' }, { cost, operation: 'test' });
    const [mail] = await mailsTo(email, 1);
    expect(mail!.text).toContain('has used 10 % of its credits');
  });

  it('receives one alert when a key is used from a new country, by the table as it is now', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const { email } = await addContact(accountId);
    await addContact((await stack.issueKey()).accountId);
    const use = (address: string, ago: string) =>
      stack.dataSource.query(
        `INSERT INTO observed_traffic (key_id, hour, route, address, outcome, requests, first_at, last_at)
         SELECT $1, date_trunc('hour', t.at), 'GET /', $2, 'served', 1, t.at, t.at
         FROM (SELECT now() - $3::interval AS at) t`,
        [keyId, address, ago],
      );
    const check = () => admin.post('/admin/timers/country-watch/run', REASON);
    const countries = () =>
      mails
        .to(email)
        .flatMap(
          ({ text }) =>
            /^- .* the country (..) for the first time, from (\S+)/m.exec(text)?.slice(1, 3).join() ?? [],
        );
    await use('192.0.2.1', '5 days');
    for (const address of ['192.0.2.9', '198.51.100.1', '203.0.113.1']) await use(address, '1 minute');
    expect((await check()).status).toBe(200);
    await eventually(() => expect(countries()).toEqual(['FR,198.51.100.1']));
    await use('198.51.100.2', '1 minute');
    writeFileSync(COUNTRIES, `${TABLE}203.0.113.0,203.0.113.255,AT\n`);
    await check();
    await eventually(() => expect(countries()).toEqual(['FR,198.51.100.1', 'AT,203.0.113.1']));
  });

  it('gets one digest of what happens to ten thousand keys at once', async () => {
    const accountId = await stack.openAccount();
    const { email } = await addContact(accountId);
    const [rule] = await stack.dataSource.query<{ id: string }[]>(
      `SELECT id FROM alert_rule WHERE kind = 'key_expiring' AND threshold = 7`,
    );
    const noticed = Array.from({ length: 10_000 }, (): Noticed => {
      const keyId = randomUUID();
      return {
        ruleId: rule!.id,
        accountId,
        keyId,
        subject: keyId,
        period: 'x',
        data: { expires_at: new Date().toISOString() },
      };
    });
    await stack.dataSource.transaction((em) => stack.api.get(Alerts).raise(noticed, em));
    const [mail] = await mailsTo(email, 1);
    expect(mail!.source).toMatch(/^Subject: Greenroom: 10,000 API keys expire soon$/m);
    expect(mail!.text).toContain('And 9,950 more.');
    const { body } = await manager.get(`/admin/alert-messages?account_id=${accountId}`);
    const madeUp = encodeCursor(['foo 1', '1'], { name: 'alert-messages', filter: { accountId } });
    const refused = await manager.get(`/admin/alert-messages?account_id=${accountId}&cursor=${madeUp}`);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_cursor']);
    expect(body).toMatchObject({ total: 1, items: [{ alerts: 10_000, recipient: email }] });
  });

  it('receives alerts after its quiet hours, with what came meanwhile', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const { email } = await addContact(accountId, {
      quiet_from: '00:00',
      quiet_to: '23:59',
      time_zone: 'UTC',
    });
    await notice(leak(accountId, keyId));
    await notice(leak(accountId, keyId, 'again'));
    const { body } = await manager.get(`/admin/alert-messages?account_id=${accountId}&state=pending`);
    const [message] = body.items as { alerts: number; due_at: string }[];
    expect([body.total, message!.alerts]).toEqual([1, 2]);
    expect(Date.parse(message!.due_at) % 86_400_000).toBe((24 * 60 - 1) * 60_000);
    expect(mails.to(email)).toEqual([]);
  });
});

describe('rules', () => {
  it('of the narrowest scope hold alone, and one that is off silences', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const other = await stack.issueKey({ accountId });
    const { email } = await addContact(accountId);
    const rules = `/admin/accounts/${accountId}/alert-rules`;
    const off = { kind: 'key_leaked', channels: ['email'], enabled: false, key_id: keyId, ...REASON };
    const { status, body } = await manager.post(rules, off);
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ scope: 'key', key_id: keyId, key_name: 'test key', enabled: false }),
    ]);
    await notice(leak(accountId, keyId));
    await notice(leak(accountId, other.keyId));
    await mailsTo(email, 1);
    const { body: log } = await manager.get(`/admin/alert-messages?account_id=${accountId}&kind=key_leaked`);
    expect(log).toMatchObject({ total: 1, items: [{ alerts: 1 }] });

    const headers = { 'if-match': '"v1"' };
    expect(
      (await manager.patch(`${rules}/${String(body.id)}`, { enabled: true, ...REASON }, headers)).status,
    ).toBe(200);
    expect(
      (await manager.patch(`${rules}/${String(body.id)}`, { enabled: false, ...REASON }, headers)).status,
    ).toBe(412);
    const gone = await manager.send('DELETE', `${rules}/${String(body.id)}`, REASON, { 'if-match': '"v2"' });
    expect(gone.status).toBe(204);
    expect((await manager.get(rules)).body).toEqual({ items: [] });
  });

  it('of the installation are for admins', async () => {
    const rule = { kind: 'spend_spike', threshold: 3, tier: 'pro', channels: ['email', 'chat'], ...REASON };
    expect((await manager.post('/admin/alert-rules', rule)).status).toBe(403);
    const { status, body } = await admin.post('/admin/alert-rules', rule);
    expect([status, body]).toEqual([201, expect.objectContaining({ scope: 'tier', tier: 'pro' })]);
    expect((await admin.post('/admin/alert-rules', rule)).status).toBe(409);
    await stack.dataSource.query(
      `INSERT INTO alert (rule_id, kind, account_id, subject, period, data, at)
       SELECT $1, 'spend_spike', CASE WHEN n < 3 THEN $2 ELSE $3 END::uuid, 'a test', n::text, '{}', now() - n * interval '9 days'
       FROM generate_series(1, 5) n`,
      [body.id, await stack.openAccount(), await stack.openAccount()],
    );
    const { body: all } = await manager.get('/admin/alert-rules');
    const lately = (all.items as { id: string; last_30_days: object }[]).find(({ id }) => id === body.id);
    expect(lately?.last_30_days).toEqual({ alerts: 3, accounts: 2 });
    expect((all.items as unknown[]).length).toBe(22);
  });
});

describe('422', () => {
  it('names what is wrong with a contact and a rule, and adds nothing', async () => {
    const accountId = await stack.openAccount();
    const contact = { name: 'Ana', channel: 'email', email: newAddress(), categories: CATEGORIES, ...REASON };
    const chat = { ...contact, channel: 'chat', email: undefined };
    const rule = { kind: 'credits_used', threshold: 50, channels: ['email'], ...REASON };
    const refusals: [string, Record<string, unknown>, string][] = [
      ['contacts', { ...contact, email: 'Ana <ana@x.test>' }, 'e-mail address'],
      ['contacts', { ...contact, email: 'a@x.test,b@x.test' }, 'e-mail address'],
      ['contacts', { ...contact, email: undefined }, 'is required'],
      ['contacts', { ...contact, url: 'https://x.test' }, 'not accepted for a contact'],
      ['contacts', { ...contact, categories: [] }, 'at least 1 item'],
      ['contacts', { ...contact, categories: ['gossip'] }, "'credits', 'keys', 'security' or 'operations'"],
      ['contacts', { ...contact, quiet_from: '22:00' }, 'need quiet_from, quiet_to and time_zone'],
      ['contacts', { ...contact, quiet_from: '24:00' }, '00:00 to 23:59'],
      ['contacts', { ...contact, time_zone: 'Berlin' }, 'Europe/Berlin'],
      ['contacts', chat, 'is required'],
      ['contacts', { ...chat, url: 'http://169.254.169.254/' }, 'internal address'],
      ['alert-rules', { ...rule, threshold: 0 }, 'percent from 1 to 100'],
      ['alert-rules', { ...rule, threshold: undefined }, 'percent from 1 to 100'],
      ['alert-rules', { ...rule, kind: 'key_leaked' }, 'no threshold'],
      ['alert-rules', { ...rule, kind: 'dead_letters' }, 'about the installation'],
      ['alert-rules', { ...rule, channels: ['pigeon'] }, "'webhook', 'email' or 'chat'"],
      ['alert-rules', { ...rule, kind: 'rumour' }, "'credits_used'"],
    ];
    for (const [list, body, text] of refusals) {
      const response = await manager.post(`/admin/accounts/${accountId}/${list}`, body);
      expect([body, response.status]).toEqual([body, 422]);
      expect(response.text).toContain(text);
      expect((await manager.get(`/admin/accounts/${accountId}/${list}`)).body.items).toEqual([]);
    }
  });
});

describe('404', () => {
  it('finds nothing of another account', async () => {
    const [mine, other] = [await stack.openAccount(), await stack.openAccount()];
    const { id } = await addContact(other);
    for (const route of [
      `/admin/accounts/${mine}/contacts/${id}`,
      `/admin/contacts/${id}`,
      '/admin/contacts/x',
    ])
      expect([route, (await admin.get(route)).status]).toEqual([route, 404]);
    const body = { kind: 'key_idle', threshold: 9, channels: [], key_id: 'x', ...REASON };
    expect((await manager.post(`/admin/accounts/${mine}/alert-rules`, body)).status).toBe(404);
  });
});

it('a contact is edited and removed, and the audit log says so without its secret', async () => {
  const accountId = await stack.openAccount();
  const url = receiver.url('/secret-of-the-hook');
  const { route } = await addContact(accountId, { channel: 'chat', email: undefined, url });
  const edit = {
    name: 'Hook',
    categories: ['keys'],
    quiet_from: '22:00',
    quiet_to: '07:00',
    time_zone: 'Asia/Kathmandu',
  };
  const { status, body } = await manager.patch(route, { ...edit, ...REASON }, { 'if-match': '"v1"' });
  expect([status, body]).toEqual([200, expect.objectContaining(edit)]);
  expect((await manager.patch(route, { email: newAddress(), ...REASON }, { 'if-match': '*' })).status).toBe(
    409,
  );
  expect((await manager.send('DELETE', route, REASON, { 'if-match': '"v2"' })).status).toBe(204);
  expect((await manager.get(route)).status).toBe(404);
  const log = await admin.get(`/admin/audit-log?account_id=${accountId}`);
  const actions = (log.body.items as { action: string }[]).map(({ action }) => action);
  expect(actions.slice(0, 3)).toEqual(['contact.removed', 'contact.edited', 'contact.added']);
  expect(log.text).not.toContain('secret-of-the-hook');
});

describe('the log', () => {
  it('has the end of a webhook, also once its delivery is gone', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const path = `/${randomUUID()}`;
    const endpoint = { name: 'hook', url: receiver.url(path), events: ['alert.raised'], ...REASON };
    expect((await manager.post(`/admin/accounts/${accountId}/webhooks`, endpoint)).status).toBe(201);
    const states = async () => {
      const { body } = await manager.get(`/admin/alert-messages?account_id=${accountId}`);
      return (body.items as { state: string; delivered_at: string | null }[]).map((item) => [
        item.state,
        item.delivered_at !== null,
      ]);
    };
    await notice(leak(accountId, keyId));
    await eventually(async () => expect(await states()).toEqual([['delivered', true]]));
    await stack.asOwner(
      `UPDATE webhook_delivery d SET state = 'failed' FROM webhook_endpoint e WHERE e.id = d.endpoint_id AND e.account_id = $1`,
      [accountId],
    );
    await stack.asOwner(
      'DELETE FROM webhook_delivery d USING webhook_endpoint e WHERE e.id = d.endpoint_id AND e.account_id = $1',
      [accountId],
    );
    expect(await states()).toEqual([['delivered', true]]);
  });

  it('does not call a webhook delivered whose endpoint never took it', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const refused = { name: 'hook', url: receiver.url('/refused'), events: ['alert.raised'], ...REASON };
    const { body: endpoint } = await manager.post(`/admin/accounts/${accountId}/webhooks`, refused);
    const thanks = receiver.answer;
    receiver.answer = (response) => response.writeHead(500).end();
    await notice(leak(accountId, keyId));
    const route = `/admin/accounts/${accountId}/webhooks/${String(endpoint.id)}`;
    await eventually(async () => {
      const { body } = await manager.get(`${route}/deliveries`);
      expect(body.items).toMatchObject([{ state: 'pending', attempts: 1 }]);
    });
    receiver.answer = thanks;
    expect((await manager.send('DELETE', route, REASON, { 'if-match': '*' })).status).toBe(204);
    const { body } = await manager.get(`/admin/alert-messages?account_id=${accountId}`);
    expect(body.items).toMatchObject([{ state: 'cancelled', delivered_at: null }]);
  });
});

// The last: until their time limit, its connections hold every slot for mail.
describe('a mail server that hangs', () => {
  it('delays no hook and no webhook', async () => {
    const { accountId, keyId } = await stack.issueKey();
    const { email } = await addContact(accountId);
    const hook = await addHook(accountId);
    mails.hangs = true;
    for (let index = 0; index < 20; index += 1) await addContact(accountId);
    await notice(leak(accountId, keyId));
    await eventually(() => expect(receiver.at(hook)).toHaveLength(1), { withinMs: 5_000 });
    mails.hangs = false;
    expect(mails.to(email)).toEqual([]);
  });
});
