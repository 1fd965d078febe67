import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { randomUUID } from 'node:crypto';
import { byCommandLine } from '../../libs/administration/audit/audit-actors';
import { ApiKeyChangesService } from '../../libs/administration/keys/api-key-changes.service';
import { Alerts } from '../../libs/alerts/alerts';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { WEBHOOK_EVENT_TYPES } from '../../libs/domain/webhooks/webhook-event';
import { addBudget } from '../support/budgets';
import { eventually } from '../support/eventually';
import { HostileReceiver } from '../support/hostile-receiver';
import { Stack } from '../support/stack';
import { ANY_VERSION, StaffClient, type StaffResponse } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';
import { WebhookReceiver } from '../support/webhook-receiver';

const { webhooks: verifier } = new ElevenLabsClient({ apiKey: 'not used' });
const REASON = { reason: 'A test' };

const stack = Stack.ofFile({ env: { WEBHOOK_PRIVATE_NETWORKS: 'allow' } });
const receiver = WebhookReceiver.ofFile();
const manager = StaffClient.ofFile(stack, 'account_manager');
beforeEach(() => {
  receiver.answer = (response) => response.end('thank you');
});

interface Endpoint {
  id: string;
  accountId: string;
  secret: string;
  path: string;
  /** Of its routes. */
  route: string;
}

async function addEndpoint(accountId: string, fields: Record<string, unknown> = {}): Promise<Endpoint> {
  const path = `/${randomUUID()}`;
  const body = { name: 'Ours', url: receiver.url(path), events: WEBHOOK_EVENT_TYPES, ...REASON, ...fields };
  const response = await manager.post(`/admin/accounts/${accountId}/webhooks`, body);
  expect(response.status).toBe(201);
  const { id, secret } = response.body as { id: string; secret: string };
  return { id, accountId, secret, path, route: `/admin/accounts/${accountId}/webhooks/${id}` };
}

async function openEndpoint(fields: Record<string, unknown> = {}): Promise<Endpoint> {
  return addEndpoint(await stack.openAccount(), fields);
}

/** What arrived at an endpoint, when it is as many, verified as a customer would. */
async function arrivals({ path, secret }: Endpoint, count: number): Promise<Record<string, unknown>[]> {
  await eventually(() => expect(receiver.at(path)).toHaveLength(count));
  return Promise.all(
    receiver
      .at(path)
      .map(({ body, headers }) =>
        verifier.constructEvent(body, String(headers['elevenlabs-signature']), secret),
      ),
  ) as Promise<Record<string, unknown>[]>;
}

async function deliveries({ route }: Endpoint, query = ''): Promise<Record<string, unknown>[]> {
  const { body } = await manager.get(`${route}/deliveries${query}`);
  return body.items as Record<string, unknown>[];
}

async function disableKey(accountId: string): Promise<string> {
  const { keyId } = await stack.issueKey({ accountId });
  const response = await manager.post(
    `/admin/api-keys/${keyId}/disable`,
    { disable_reason: 'security_incident', ...REASON },
    { 'if-match': '*' },
  );
  expect(response.status).toBe(200);
  return keyId;
}

/** Makes what is waiting to be tried again due now, instead of waiting out its back-off. */
async function flushSoon({ id }: Endpoint): Promise<void> {
  await stack.dataSource.query(
    `UPDATE outbox SET available_at = now() WHERE job = 'deliver-webhook' AND payload->>'deliveryId' IN
       (SELECT d.id::text FROM webhook_delivery d WHERE d.endpoint_id = $1)`,
    [id],
  );
}

it('an endpoint of a closed account receives nothing more, nor what was on its way', async () => {
  receiver.answer = (response) => response.writeHead(500).end();
  const endpoint = await openEndpoint();
  await disableKey(endpoint.accountId);
  await eventually(() => expect(receiver.at(endpoint.path)).toHaveLength(1));
  const closed = await manager.post(`/admin/accounts/${endpoint.accountId}/close`, REASON, {
    'if-match': '*',
  });
  expect(closed.status).toBe(200);
  await eventually(async () => {
    await flushSoon(endpoint);
    expect(await deliveries(endpoint)).toMatchObject([{ state: 'failed', attempts: 2 }]);
  });
  await disableKey(endpoint.accountId);
  expect(await deliveries(endpoint)).toHaveLength(1);
  expect(receiver.at(endpoint.path)).toHaveLength(1);
});

describe('an endpoint receives', () => {
  it('of a disabled key, signed so that the official library accepts it', async () => {
    const endpoint = await openEndpoint();
    const keyId = await disableKey(endpoint.accountId);
    const [event] = await arrivals(endpoint, 1);
    expect(event).toMatchObject({
      type: 'key.disabled',
      event_id: receiver.at(endpoint.path)[0]!.headers['webhook-id'],
      data: { key_id: keyId, name: 'test key', disable_reason: null, reason: 'security_incident' },
    });
    await eventually(async () =>
      expect(await deliveries(endpoint)).toMatchObject([
        { state: 'delivered', attempts: 1, last_attempt: { status: 200, answer: 'thank you', error: null } },
      ]),
    );
  });

  it('of a new key, of its new secret, and of a key that expires or is refused', async () => {
    const endpoint = await openEndpoint();
    const { accountId } = endpoint;
    const keys = stack.api.get(ApiKeyChangesService, { strict: false });
    const { key } = await keys.create(
      byCommandLine(),
      { accountId, name: 'Radio', permissions: 'all', expiresAt: new Date(Date.now() + 40 * 86_400_000) },
      'A test',
    );
    await keys.rotate({ actor: byCommandLine(), reason: 'A test', expected: 'any', keyId: key.id }, 2);
    const about = { accountId, keyId: key.id, period: 'now' };
    const rules = await stack.asOwner<{ id: string; kind: string }>(
      `INSERT INTO alert_rule (id, scope, account_id, kind, threshold, channels)
       SELECT gen_random_uuid(), 'account', $1, k, 50, '{webhook}' FROM unnest('{key_expiring,key_refused}'::text[]) k
       RETURNING id, kind`,
      [accountId],
    );
    await stack.dataSource.transaction((em) =>
      stack.api.get(Alerts, { strict: false }).raise(
        rules.map(({ id, kind }) => ({ ...about, ruleId: id, subject: key.id, data: { kind_of: kind } })),
        em,
      ),
    );
    const events = await arrivals(endpoint, 6);
    expect(events.map(({ type }) => type).toSorted()).toEqual([
      'alert.raised',
      'alert.raised',
      'key.created',
      'key.expiring',
      'key.limited',
      'key.rotated',
    ]);
    const dataOf = (type: string) => events.find((event) => event.type === type)!.data;
    expect(dataOf('key.created')).toEqual({
      key_id: key.id,
      name: 'Radio',
      expires_at_unix: Math.floor(key.expiresAt!.getTime() / 1_000),
    });
    expect(dataOf('key.rotated')).toMatchObject({
      key_id: key.id,
      former_secret_works_until_unix: expect.any(Number),
    });
    expect(dataOf('key.limited')).toEqual({ key_id: key.id, threshold: 50, kind_of: 'key_refused' });
  });

  it('of a reviewed voice, with its grade', async () => {
    const endpoint = await openEndpoint();
    const { secret } = await stack.issueKey({ accountId: endpoint.accountId });
    const design = await stack.request('POST', '/v1/text-to-voice/design', {
      secret,
      body: {
        voice_description: 'A calm voice of an older woman who reads the news',
        auto_generate_text: true,
      },
    });
    const [preview] = design.body.previews as { generated_voice_id: string }[];
    const created = await stack.request('POST', '/v1/text-to-voice', {
      secret,
      body: {
        voice_name: 'News',
        voice_description: 'A calm voice of an older woman who reads the news',
        generated_voice_id: preview!.generated_voice_id,
      },
    });
    const [event] = await arrivals(endpoint, 1);
    expect(event).toMatchObject({
      type: 'voice.reviewed',
      data: { voice_id: created.body.voice_id, name: 'News', labelling_status: 'review_complete' },
    });
    expect((event!.data as Record<string, unknown>).recording_quality).toMatch(/studio|good|ok|poor|bad/);
  });

  it('of a grade that a person gave', async () => {
    const endpoint = await openEndpoint({ events: ['voice.reviewed'] });
    const voiceId = await storeVoice(stack, { accountId: endpoint.accountId });
    await arrivals(endpoint, 1);
    const support = await StaffClient.signedIn(stack, 'support');
    const body = { grade: 'studio', public_reason: 'checked by ear', ...REASON };
    await support.post(`/admin/voices/${voiceId}/override`, body, { 'if-match': '*' });
    const [, event] = await arrivals(endpoint, 2);
    expect(event).toMatchObject({
      type: 'voice.reviewed',
      data: {
        voice_id: voiceId,
        labelling_status: 'review_complete',
        recording_quality: 'studio',
        recording_quality_reason: 'manual: checked by ear',
      },
    });
  });

  it('of a voice that staff take down: it neither plays nor speaks, until they release it', async () => {
    const endpoint = await openEndpoint({ events: ['voice.safety_changed'] });
    const { accountId } = endpoint;
    const { secret } = await stack.issueKey({ accountId });
    const voiceId = await storeVoice(stack, { accountId });
    const support = await StaffClient.signedIn(stack, 'support');
    const read = async () => (await stack.request('GET', `/v1/voices/${voiceId}`, { secret })).body;
    const play = async (url: unknown) => (await fetch(String(url))).status;
    const url = (await read()).preview_url;
    expect(await play(url)).toBe(200);

    const decide = (state: string) =>
      support.send(
        'PUT',
        `/admin/voices/${voiceId}/safety`,
        { state, notice: 'A claim', ...REASON },
        ANY_VERSION,
      );
    expect((await decide('taken_down')).body).toMatchObject({
      safety: { state: 'taken_down', notice: 'A claim' },
    });
    expect(await read()).toMatchObject({ safety_control: 'BAN', preview_url: null });
    expect(await play(url)).toBe(403);
    const body = { text: 'Hello there, this is a test.' };
    const refused = await stack.request('POST', `/v1/text-to-speech/${voiceId}`, { secret, body });
    expect([refused.status, refused.body.detail]).toMatchObject([
      403,
      { code: 'voice_held', message: expect.stringContaining('was taken down') },
    ]);
    // Staff still listen to it.
    expect((await support.get(`/admin/voices/${voiceId}/audio?reason=Ticket+4711`)).status).toBe(200);

    await decide('taken_down');
    await decide('released');
    expect(await read()).toMatchObject({ safety_control: null, preview_url: expect.any(String) });
    expect(await play(url)).toBe(200);
    const events = await arrivals(endpoint, 2);
    expect(events.map(({ type, data }) => ({ type, data }))).toMatchObject([
      { type: 'voice.safety_changed', data: { voice_id: voiceId, safety_control: 'BAN', notice: 'A claim' } },
      { type: 'voice.safety_changed', data: { voice_id: voiceId, safety_control: null } },
    ]);
  });

  it('of 80 % and 100 % of its credits, once each', async () => {
    const endpoint = await openEndpoint();
    const { keyId, accountId } = await stack.issueKey({ accountId: endpoint.accountId });
    await stack.dataSource.query('UPDATE credit_balance SET credit_limit = 1000 WHERE subject_id = $1', [
      accountId,
    ]);
    const spend = (cost: number) =>
      stack.api
        .get(CreditLedger)
        .charge({ keyId, accountId, cost, operation: 'test', requestId: randomUUID() });
    await spend(799);
    await spend(1);
    await arrivals(endpoint, 1);
    await spend(200);
    const events = await arrivals(endpoint, 2);
    expect(events.map(({ data }) => (data as Record<string, unknown>).threshold_percent)).toEqual([80, 100]);
    expect(events[0]!.data).toMatchObject({ key_id: null, credits_used: 800, credit_limit: 1000 });
  });

  it('of 80 % and 100 % of the credits of a key that has a limit of its own, and of no other key', async () => {
    const endpoint = await openEndpoint();
    const { keyId, accountId } = await stack.issueKey({ accountId: endpoint.accountId, creditLimit: 50 });
    const unlimited = await stack.issueKey({ accountId });
    const spend = (id: string, cost: number) =>
      stack.api
        .get(CreditLedger)
        .charge({ keyId: id, accountId, cost, operation: 'test', requestId: randomUUID() });
    await spend(unlimited.keyId, 60);
    await spend(keyId, 39);
    await spend(keyId, 1);
    const [event] = await arrivals(endpoint, 1);
    expect(event!.data).toMatchObject({ key_id: keyId, threshold_percent: 80, credits_used: 40 });
    await spend(keyId, 10);
    const [, last] = await arrivals(endpoint, 2);
    expect(last!.data).toMatchObject({ key_id: keyId, threshold_percent: 100, credit_limit: 50 });
  });

  it('of a threshold again when it is reached of what the key may use since, grants included', async () => {
    const endpoint = await openEndpoint();
    const { keyId, accountId } = await stack.issueKey({ accountId: endpoint.accountId, creditLimit: 10 });
    const spend = (cost: number) =>
      stack.api
        .get(CreditLedger)
        .charge({ keyId, accountId, cost, operation: 'test', requestId: randomUUID() });
    const ofEvents = (events: Record<string, unknown>[]) =>
      events.map(({ data }) => {
        const {
          threshold_percent: threshold,
          credits_used: used,
          credit_limit: limit,
        } = data as Record<string, number>;
        return [threshold, used, limit];
      });
    const grant = { kind: 'grant', amount: 90, key_id: keyId, ...REASON };
    await manager.post(`/admin/accounts/${accountId}/credits`, grant, { 'if-match': '*' });
    await spend(80);
    expect(ofEvents(await arrivals(endpoint, 1))).toEqual([[80, 80, 100]]);
    await manager.patch(`/admin/api-keys/${keyId}`, { credit_limit: 110, ...REASON }, { 'if-match': '*' });
    await spend(80);
    expect(ofEvents(await arrivals(endpoint, 2))).toEqual([
      [80, 80, 100],
      [80, 160, 200],
    ]);
  });

  it('of 80 % and 100 % of a budget, with its name and when it renews', async () => {
    const endpoint = await openEndpoint();
    const { keyId, accountId } = await stack.issueKey({ accountId: endpoint.accountId });
    await addBudget(stack.dataSource, accountId, { amount: 100, name: 'Daily' });
    const charge = { keyId, accountId, operation: 'test' };
    for (const cost of [80, 20]) {
      await stack.api.get(CreditLedger).charge({ ...charge, cost, requestId: randomUUID() });
      await arrivals(endpoint, cost === 80 ? 1 : 2);
    }
    const budget = { name: 'Daily', window: 'day', renews_at: expect.stringMatching(/Z$/) };
    expect((await arrivals(endpoint, 2)).map(({ type, data }) => ({ type, data }))).toMatchObject([
      { type: 'quota.reached', data: { key_id: null, threshold_percent: 80, credits_used: 80, budget } },
      { type: 'quota.reached', data: { key_id: null, threshold_percent: 100, credit_limit: 100, budget } },
    ]);
  });

  it('nothing it has not subscribed to, nothing of other accounts, and nothing while it is disabled', async () => {
    const endpoint = await openEndpoint({ events: ['voice.reviewed'] });
    const disabled = await addEndpoint(endpoint.accountId);
    await manager.patch(disabled.route, { enabled: false, ...REASON }, { 'if-match': '*' });
    const witness = await addEndpoint(endpoint.accountId);
    const other = await openEndpoint();
    await disableKey(endpoint.accountId);
    await arrivals(witness, 1);
    for (const silent of [endpoint, disabled, other]) expect(await deliveries(silent)).toEqual([]);
  });

  it('nothing of a change that was rolled back', async () => {
    const endpoint = await openEndpoint();
    const { keyId } = await stack.issueKey({ accountId: endpoint.accountId });
    const refused = await manager.post(
      `/admin/api-keys/${keyId}/disable`,
      { disable_reason: 'unused', ...REASON },
      { 'if-match': '"v999"' },
    );
    expect(refused.status).toBe(412);
    expect(await deliveries(endpoint)).toEqual([]);
  });
});

describe('a delivery', () => {
  it('that fails is tried again with the same event, and every attempt is kept', async () => {
    const endpoint = await openEndpoint();
    receiver.answer = (response) => response.writeHead(500).end(`broken\0 ${'x'.repeat(5_000)}`);
    await disableKey(endpoint.accountId);
    await eventually(async () =>
      expect(await deliveries(endpoint, '?state=pending')).toMatchObject([{ attempts: 1 }]),
    );
    receiver.answer = (response) => response.end();
    await flushSoon(endpoint);
    const [first, second] = await arrivals(endpoint, 2);
    expect(second).toEqual(first);
    await eventually(async () => expect(await deliveries(endpoint, '?state=delivered')).toHaveLength(1));
    const [{ id }] = (await deliveries(endpoint)) as [{ id: string }];
    const { body } = await manager.get(`${endpoint.route}/deliveries/${id}`);
    expect(body.attempt_log).toMatchObject([
      { status: 500, error: 'responded 500', answer: `broken ${'x'.repeat(993)}` },
      { status: 200, error: null, answer: '' },
    ]);
    expect(JSON.parse(String(body.body))).toEqual(first);
  });

  it.each([
    ['a redirect is not followed', 302, /responded 302: redirects are not followed/],
    ['404 is a failure', 404, /responded 404/],
  ])('%s', async (_, status, error) => {
    const endpoint = await openEndpoint();
    receiver.answer = (response) => response.writeHead(status, { location: receiver.url('/stolen') }).end();
    await manager.post(`${endpoint.route}/test`, REASON);
    await eventually(async () =>
      expect(await deliveries(endpoint)).toMatchObject([
        { state: 'pending', last_attempt: { status, error: expect.stringMatching(error) } },
      ]),
    );
    expect(receiver.at('/stolen')).toEqual([]);
  });

  it('to a receiver that is gone (410) fails for good, and disables its endpoint', async () => {
    const endpoint = await openEndpoint();
    receiver.answer = (response) => response.writeHead(410).end();
    await manager.post(`${endpoint.route}/test`, REASON);
    await eventually(async () =>
      expect(await deliveries(endpoint)).toMatchObject([{ state: 'failed', attempts: 1 }]),
    );
    const { body } = await manager.get(endpoint.route);
    expect(body).toMatchObject({ enabled: false, disabled_reason: 'gone', last_error: 'responded 410' });
  });

  it.each([
    [503, '600', 600],
    [429, '999999', 7_200],
    [500, '600', 5],
  ])('%d with Retry-After: %s is tried again in %d s', async (status, retryAfter, secs) => {
    const endpoint = await openEndpoint();
    receiver.answer = (response) => response.writeHead(status, { 'retry-after': retryAfter }).end();
    await manager.post(`${endpoint.route}/test`, REASON);
    await eventually(async () => expect(await deliveries(endpoint)).toMatchObject([{ attempts: 1 }]));
    const [delay] = await stack.dataSource.query<{ secs: number }[]>(
      `SELECT extract(epoch FROM due_at - now())::float8 AS secs FROM webhook_delivery WHERE endpoint_id = $1`,
      [endpoint.id],
    );
    expect(delay!.secs).toBeLessThanOrEqual(secs);
    expect(delay!.secs).toBeGreaterThan(secs / 2 - 10);
  });

  it('whose response never ends is delivered all the same, and what is kept of it is bounded', async () => {
    const endpoint = await openEndpoint();
    receiver.answer = (response) => void response.writeHead(200).write('y'.repeat(1_000_000));
    await manager.post(`${endpoint.route}/test`, REASON);
    await eventually(async () => expect(await deliveries(endpoint, '?state=delivered')).toHaveLength(1));
    const [{ last_attempt: last }] = (await deliveries(endpoint)) as [{ last_attempt: { answer: string } }];
    expect(last.answer).toHaveLength(1_000);
  });

  it('counts on the day of its event, with those of the other endpoints of its account', async () => {
    const first = await openEndpoint();
    const second = await addEndpoint(first.accountId);
    const total = `/admin/accounts/${first.accountId}/webhook-deliveries`;
    for (const { route } of [first, first, second]) await manager.post(`${route}/test`, REASON);
    const today = new Date().toISOString().slice(0, 10);
    await eventually(async () =>
      expect((await manager.get(total)).body).toMatchObject({
        to: today,
        items: [{ day: today, state: 'delivered', deliveries: 3 }],
      }),
    );
    expect((await manager.get(`/admin/accounts/${randomUUID()}/webhook-deliveries`)).status).toBe(404);
    const ops = await StaffClient.signedIn(stack, 'ops');
    expect((await ops.get(total)).status).toBe(403);
  });

  it('to a server that is not there says so', async () => {
    const endpoint = await openEndpoint({ url: 'http://127.0.0.1:9/' });
    await manager.post(`${endpoint.route}/test`, REASON);
    await eventually(async () =>
      expect(await deliveries(endpoint)).toMatchObject([
        { last_attempt: { status: null, error: expect.stringContaining('ECONNREFUSED') } },
      ]),
    );
    const { body } = await manager.get(endpoint.route);
    expect(body).toMatchObject({ enabled: true, last_error: expect.stringContaining('ECONNREFUSED') });
  });

  it('fails for good after a day, and disables an endpoint that accepted nothing in that day', async () => {
    const endpoint = await openEndpoint();
    receiver.answer = (response) => response.writeHead(500).end();
    await disableKey(endpoint.accountId);
    await eventually(async () => expect(await deliveries(endpoint)).toMatchObject([{ attempts: 1 }]));
    await stack.dataSource.query(
      `WITH old AS (
         UPDATE webhook_delivery SET started_at = now() - interval '24 hours' WHERE endpoint_id = $1 RETURNING id
       )
       INSERT INTO webhook_attempt (delivery_id, ms, error) SELECT id, 1, 'responded 500' FROM old, generate_series(2, 6)`,
      [endpoint.id],
    );
    await stack.dataSource.query(
      `UPDATE webhook_endpoint SET failing_since = now() - interval '24 hours' WHERE id = $1`,
      [endpoint.id],
    );
    await flushSoon(endpoint);
    await eventually(async () => expect(await deliveries(endpoint)).toMatchObject([{ state: 'failed' }]));
    const { body } = await manager.get(endpoint.route);
    expect(body).toMatchObject({ enabled: false, disabled_reason: 'failing', last_error: 'responded 500' });
  });

  it('can be replayed, one or all that failed, with the id of its event', async () => {
    const endpoint = await openEndpoint();
    await disableKey(endpoint.accountId);
    await disableKey(endpoint.accountId);
    await arrivals(endpoint, 2);
    await eventually(async () => expect(await deliveries(endpoint, '?state=delivered')).toHaveLength(2));
    const [newest] = (await deliveries(endpoint)) as [{ id: string; event_id: string }];
    const one = await manager.post(`${endpoint.route}/deliveries/${newest.id}/replay`, REASON);
    expect([one.status, one.body.state]).toEqual([202, 'pending']);
    const events = await arrivals(endpoint, 3);
    expect(events.at(-1)!.event_id).toBe(newest.event_id);
    await stack.dataSource.query(`UPDATE webhook_delivery SET state = 'failed' WHERE endpoint_id = $1`, [
      endpoint.id,
    ]);
    const many = await manager.post(`${endpoint.route}/replay`, REASON);
    expect([many.status, many.body]).toEqual([202, { replayed: 2, left: 0 }]);
    await arrivals(endpoint, 5);
  });

  it('that fails is read by operators, who send it again before its next attempt', async () => {
    const ops = await StaffClient.signedIn(stack, 'ops');
    const endpoint = await openEndpoint();
    receiver.answer = (response) => response.writeHead(500, { 'retry-after': '600' }).end();
    await disableKey(endpoint.accountId);
    const find = async () => {
      const items = (await ops.get('/admin/queues/receivers')).body.items as Record<string, unknown>[];
      return items.find(({ id }) => id === endpoint.id);
    };
    await eventually(async () =>
      expect(await find()).toMatchObject({
        url: receiver.url(endpoint.path),
        enabled: true,
        last_error: 'responded 500',
        waiting: 1,
        next_attempt_at: expect.any(String),
        failed: 0,
      }),
    );
    receiver.answer = (response) => response.end();
    const route = `/admin/queues/receivers/${endpoint.id}/replay`;
    const sent = await ops.post(route, REASON);
    expect([sent.status, sent.body]).toEqual([202, { replayed: 1 }]);
    await eventually(async () => expect(await find()).toBeUndefined());
    const [{ id }] = (await deliveries(endpoint)) as [{ id: string }];
    const { body } = await ops.get(`/admin/queues/webhooks/jobs/${id}`);
    expect((body.steps as { what: string }[]).map(({ what }) => what)).toEqual([
      'delivered',
      'Webhook: deliveries replayed',
      'attempt failed',
      'created',
    ]);
    const support = await StaffClient.signedIn(stack, 'support');
    expect((await support.post(route, REASON)).status).toBe(403);
    expect((await ops.post(`/admin/queues/receivers/${randomUUID()}/replay`, REASON)).status).toBe(404);
  });

  it('that failed for a day is switched on again by operators, who send it what it has missed; one that others have disabled is not', async () => {
    const ops = await StaffClient.signedIn(stack, 'ops');
    const endpoint = await openEndpoint();
    await disableKey(endpoint.accountId);
    await arrivals(endpoint, 1);
    const route = `/admin/queues/receivers/${endpoint.id}`;
    const disable = (reason: string) =>
      stack.dataSource.query(
        `UPDATE webhook_endpoint SET disabled_at = now(), disabled_reason = $2 WHERE id = $1`,
        [endpoint.id, reason],
      );
    await stack.dataSource.query(`UPDATE webhook_delivery SET state = 'failed' WHERE endpoint_id = $1`, [
      endpoint.id,
    ]);
    await disable('staff');
    expect((await ops.post(`${route}/enable`, REASON)).body).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    await disable('failing');
    expect((await ops.post(`${route}/replay`, REASON)).body).toMatchObject({
      status: 409,
      detail: 'The webhook is disabled. Enable it first: nothing is sent to it.',
    });
    const sent = await ops.post(`${route}/enable`, REASON);
    expect([sent.status, sent.body]).toEqual([202, { replayed: 1 }]);
    await arrivals(endpoint, 2);
    expect((await manager.get(endpoint.route)).body).toMatchObject({ enabled: true, failing_since: null });
  });

  it('to a server that switches protocols is a failed attempt, however many there are', async () => {
    const hostile = await HostileReceiver.start();
    try {
      const switching = await openEndpoint({ url: hostile.url('switches protocols') });
      for (let count = 0; count < 8; count += 1) await manager.post(`${switching.route}/test`, REASON);
      await eventually(async () => {
        const failed = (await deliveries(switching)).filter(({ attempts }) => Number(attempts) > 0);
        expect(failed.length).toBeGreaterThan(4);
      });
      const [newest] = (await deliveries(switching)).filter(({ last_attempt: last }) => last !== null);
      expect(newest).toMatchObject({
        state: 'pending',
        last_attempt: { status: null, error: expect.stringContaining('responded 101 to switch protocols') },
      });
      const witness = await openEndpoint();
      await manager.post(`${witness.route}/test`, REASON);
      await arrivals(witness, 1);
    } finally {
      await hostile.stop();
    }
  });

  it('to a slow endpoint does not hold up the others', async () => {
    const slow = await openEndpoint();
    const quick = await openEndpoint();
    receiver.answer = (response, { path }) => path === quick.path && response.end();
    for (let count = 0; count < 8; count += 1) await manager.post(`${slow.route}/test`, REASON);
    await eventually(() => expect(receiver.at(slow.path).length).toBeGreaterThan(2));
    await manager.post(`${quick.route}/test`, REASON);
    await eventually(() => expect(receiver.at(quick.path)).toHaveLength(1), { withinMs: 8_000 });
  });
});

describe('the secret', () => {
  it('is shown once, stored encrypted, and replaced by a rotation', async () => {
    const endpoint = await openEndpoint();
    const shown = await manager.get(endpoint.route);
    expect(shown.text).not.toContain(endpoint.secret);
    expect(endpoint.secret.endsWith(String(shown.body.secret_hint))).toBe(true);
    const [row] = await stack.dataSource.query<{ sealed_secret: string }[]>(
      'SELECT sealed_secret FROM webhook_endpoint WHERE id = $1',
      [endpoint.id],
    );
    expect(row!.sealed_secret).not.toContain(endpoint.secret.slice(6));
    const etag = { 'if-match': shown.headers.get('etag')! };
    const rotated = await manager.post(`${endpoint.route}/rotate-secret`, REASON, etag);
    expect(rotated.status).toBe(200);
    await manager.post(`${endpoint.route}/test`, REASON);
    await arrivals({ ...endpoint, secret: String(rotated.body.secret) }, 1);
    const again = await manager.post(`${endpoint.route}/rotate-secret`, REASON, etag);
    expect(again.status).toBe(412);
  });
});

describe('the administration of webhooks', () => {
  it('is not replaced under another spelling of the id, for which it could not be opened', async () => {
    const { route, id } = await openEndpoint();
    const spelt = route.replace(id, id.toUpperCase());
    expect((await manager.post(`${spelt}/rotate-secret`, REASON, { 'if-match': '*' })).status).toBe(404);
  });

  it('is audited, without secrets', async () => {
    const endpoint = await openEndpoint();
    await manager.patch(endpoint.route, { name: 'Theirs', ...REASON }, { 'if-match': '*' });
    await manager.send('DELETE', endpoint.route, REASON, { 'if-match': '*' });
    expect((await manager.get(endpoint.route)).status).toBe(404);
    const rows = await stack.dataSource.query<{ action: string; after: object; reason: string }[]>(
      'SELECT action, after, reason FROM audit_event WHERE target_id = $1 ORDER BY id',
      [endpoint.id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.edited',
      'webhook.deleted',
    ]);
    expect(JSON.stringify(rows)).not.toContain(endpoint.secret);
  });

  it('refuses what it cannot use, and says why', async () => {
    const accountId = await stack.openAccount();
    const create = (fields: object): Promise<StaffResponse> =>
      manager.post(`/admin/accounts/${accountId}/webhooks`, {
        name: 'Ours',
        url: receiver.url('/x'),
        events: WEBHOOK_EVENT_TYPES,
        ...REASON,
        ...fields,
      });
    const refusals: [object, string][] = [
      [{ url: 'http://169.254.169.254/' }, '169.254.169.254 is an internal address'],
      [{ url: 'http://[::ffff:169.254.1.1]/' }, 'is an internal address'],
      [{ url: 'gopher://127.0.0.1/' }, 'its scheme is gopher:'],
      [{ url: 'https://name.invalid/' }, 'name.invalid'],
      [{ url: `https://x/${'y'.repeat(3_000)}` }, 'at most 2000 characters'],
      [{ url: 'https://\u0000/' }, ''],
      [{ events: [] }, 'at least 1 item'],
      [
        { events: ['voice.created'] },
        "'voice.reviewed', 'voice.appeal_answered', 'voice.safety_changed', 'key.created', 'key.rotated', 'key.expiring', 'key.limited', 'key.disabled', 'quota.reached' or 'alert.raised'",
      ],
      [{ events: 'voice.reviewed' }, 'valid list'],
      [{ name: '' }, 'at least 1 character'],
    ];
    for (const [fields, text] of refusals) {
      const { status, text: response } = await create(fields);
      expect([fields, status]).toEqual([fields, 422]);
      expect(response).toContain(text);
    }
    const { body } = await manager.get(`/admin/accounts/${accountId}/webhooks`);
    expect(body.items).toEqual([]);
  });

  it('allows ten endpoints', async () => {
    const { accountId } = await openEndpoint();
    const create = () =>
      manager.post(`/admin/accounts/${accountId}/webhooks`, {
        name: 'Ours',
        url: receiver.url('/x'),
        events: WEBHOOK_EVENT_TYPES,
        ...REASON,
      });
    const statuses = [];
    for (let count = 2; count <= 11; count += 1) statuses.push((await create()).status);
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 201), 400]);
  });

  it('does not find what belongs to another account', async () => {
    const [mine, other] = [await openEndpoint(), await openEndpoint()];
    const crossed = `/admin/accounts/${mine.accountId}/webhooks/${other.id}`;
    for (const path of [
      crossed,
      `${crossed}/deliveries`,
      `${mine.route}/deliveries/1`,
      `${mine.route}/deliveries/x`,
    ])
      expect([path, (await manager.get(path)).status]).toEqual([path, 404]);
    expect((await manager.post(`${crossed}/test`, REASON)).status).toBe(404);
  });

  it('pages through deliveries, and refuses a cursor of another filter', async () => {
    const endpoint = await openEndpoint();
    for (let count = 0; count < 3; count += 1) await manager.post(`${endpoint.route}/test`, REASON);
    const first = await manager.get(`${endpoint.route}/deliveries?limit=2`);
    expect(first.body).toMatchObject({ total: 3, items: [{}, {}] });
    const cursor = String(first.body.next_cursor);
    const second = await manager.get(`${endpoint.route}/deliveries?limit=2&cursor=${cursor}`);
    expect(second.body).toMatchObject({ total: 3, items: [{}], next_cursor: null });
    const foreign = await manager.get(`${endpoint.route}/deliveries?state=failed&cursor=${cursor}`);
    expect(foreign.status).toBe(400);
    const invalid = await manager.get(`${endpoint.route}/deliveries?from=yesterday`);
    expect(invalid.status).toBe(422);
  });
});

it('an endpoint that is deleted while it is tried out is not found', async () => {
  const endpoints = await Promise.all(Array.from({ length: 8 }, () => openEndpoint()));
  const responses = await Promise.all(
    endpoints.flatMap(({ route }) => [
      ...[1, 2, 3].map(() => manager.post(`${route}/test`, REASON)),
      manager.send('DELETE', route, REASON, { 'if-match': '*' }),
    ]),
  );
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => ![202, 204, 404].includes(status))).toEqual([]);
  expect(statuses.filter((status) => status === 204)).toHaveLength(endpoints.length);
});
