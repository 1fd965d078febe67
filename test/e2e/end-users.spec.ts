import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { CreditLedger } from '../../libs/credits/credit-ledger';
import { issueServiceCredential } from '../support/ledger-storm';
import { makeVoice } from '../support/previews';
import { TEXT } from '../support/samples';
import { isShort } from '../support/short';
import { HandshakeRefused, SpeechSocketClient } from '../support/speech-socket';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const ACCEPTED = '1 to 100 printable characters, without spaces at its ends';

const atLength = isShort() ? it.skip : it;

let stack: Stack;
let support: StaffClient;
let service: string;
/** Whose voice speaks. */
let owner: IssuedKey;
let voiceId: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  support = await StaffClient.signedIn(stack, 'support');
  service = await issueServiceCredential(stack.api);
  owner = await stack.issueKey({ tier: 'pro' });
  ({ voiceId } = await makeVoice(stack, owner.secret));
});

afterAll(async () => {
  await stack.stop();
});

const issueKey = () => stack.issueKey({ tier: 'pro', accountId: owner.accountId });

const post = ({ secret }: IssuedKey, path: string, body: object, headers: Record<string, string>) =>
  stack.request('POST', path, { secret, body, headers });

const speak = (key: IssuedKey, endUser: string, path = '') =>
  post(key, `/v1/text-to-speech/${voiceId}${path}`, { text: TEXT }, { 'x-end-user': endUser });

/** As the bytes of a header, which are not UTF-16. */
const asHeader = (text: string) => Buffer.from(text).toString('latin1');

const introspect = async ({ secret: token }: IssuedKey, body: object) =>
  stack.request('POST', '/introspect', {
    body: { token, cost: 5, request_id: randomUUID(), ...body },
    headers: { authorization: `Bearer ${service}` },
  });

const end = async (action: 'capture' | 'release', { accountId }: IssuedKey, body: object) =>
  stack.request('POST', `/introspect/${action}`, {
    body: { account_id: accountId, ...body },
    headers: { authorization: `Bearer ${service}` },
  });

const charge = ({ keyId, accountId }: IssuedKey, cost: number, endUser?: string) =>
  stack.api
    .get(CreditLedger)
    .charge({ keyId, accountId, cost, operation: 'test', requestId: randomUUID(), endUser });

async function ledgerOf({ accountId, keyId }: IssuedKey): Promise<[string, number, string | null][]> {
  const { body } = await support.get(`/admin/accounts/${accountId}/ledger?key_id=${keyId}`);
  const items = (body.items as JsonBody[]).toReversed();
  return items.map(({ kind, amount, end_user }) => [String(kind), Number(amount), end_user as string | null]);
}

const usageOf = async ({ accountId }: IssuedKey, path: string) =>
  support.get(`/admin/accounts/${accountId}/usage/${path}`);

interface Series {
  id: string | null;
  credits: number[];
  requests: number[];
}

/** What each series has used in all its days. */
async function sumsBy(by: string, key: IssuedKey): Promise<Record<string, [number, number]>> {
  const { body } = await usageOf(key, `by-day?by=${by}`);
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
  return Object.fromEntries(
    (body.series as Series[]).map(({ id, credits, requests }) => [String(id), [sum(credits), sum(requests)]]),
  );
}

describe('200', () => {
  it('speech names its end user in every line of the ledger, composed (NFC), and in the usage of the account', async () => {
    const key = await stack.issueKey({ tier: 'pro' });
    const { voiceId: own } = await makeVoice(stack, key.secret);
    const before = (await ledgerOf(key)).length;
    const headers = { 'x-end-user': asHeader('Zoe\u0301 7') };
    const spoken = await post(key, `/v1/text-to-speech/${own}`, { text: TEXT }, headers);
    expect(spoken.status).toBe(200);
    const cost = TEXT.length;
    expect((await ledgerOf(key)).slice(before)).toEqual([
      ['hold', -cost, 'Zoé 7'],
      ['release', cost, 'Zoé 7'],
      ['charge', -cost, 'Zoé 7'],
    ]);
    expect((await sumsBy('end_user', key))['Zoé 7']).toEqual([cost, 1]);
  });

  it.each([
    ['streamed speech', (key: IssuedKey) => speak(key, 'u1', '/stream')],
    ['speech with times', (key: IssuedKey) => speak(key, 'u1', '/with-timestamps')],
    [
      'a design',
      (key: IssuedKey) =>
        post(
          key,
          '/v1/text-to-voice/design',
          { voice_description: 'A calm old man with a deep voice', auto_generate_text: true },
          { 'x-end-user': 'u1' },
        ),
    ],
    [
      'a remix',
      (key: IssuedKey) =>
        post(
          key,
          `/v1/text-to-voice/${voiceId}/remix`,
          { voice_description: 'Make it a little slower', auto_generate_text: true },
          { 'x-end-user': 'u1' },
        ),
    ],
  ])('%s', async (_, call) => {
    const key = await issueKey();
    const response = await call(key);
    expect([response.status, response.body]).toEqual([200, expect.anything()]);
    const lines = await ledgerOf(key);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.map(([, , endUser]) => endUser)).toEqual(lines.map(() => 'u1'));
  });

  it('each text of a speech socket', async () => {
    const key = await issueKey();
    const url = `${stack.baseUrl}/v1/text-to-speech/${voiceId}/stream-input?output_format=pcm_16000`;
    const socket = await SpeechSocketClient.open(url, { 'xi-api-key': key.secret, 'x-end-user': 'u2' });
    for (const text of [' ', 'A sentence of a socket. ', '']) socket.webSocket.send(JSON.stringify({ text }));
    await socket.closed;
    expect(new Set((await ledgerOf(key)).map(([, , endUser]) => endUser))).toEqual(new Set(['u2']));
  });

  it('a cost at /introspect, and what is captured or released of a hold; a repeat keeps the first end user', async () => {
    const key = await stack.issueKey();
    await introspect(key, { end_user: 'ann', request_id: 'r1' });
    const repeated = await introspect(key, { end_user: 'bob', request_id: 'r1' });
    expect(repeated.body).toMatchObject({ active: true, repeated: true });
    await introspect(key, { end_user: 'ann', request_id: 'r2', hold_seconds: 60 });
    expect((await end('capture', key, { request_id: 'r2', cost: 3 })).status).toBe(200);
    await introspect(key, { end_user: 'bob', request_id: 'r3', hold_seconds: 60 });
    expect((await end('release', key, { request_id: 'r3' })).status).toBe(200);
    await introspect(key, {});
    expect(await sumsBy('end_user', key)).toEqual({ ann: [8, 2], null: [5, 1], bob: [0, 1] });
    expect(new Set((await ledgerOf(key)).map(([kind, , endUser]) => `${kind} ${endUser}`))).toEqual(
      new Set(['charge ann', 'hold ann', 'release ann', 'hold bob', 'release bob', 'charge null']),
    );
  });

  it('a refund is of the end user whom it was charged for', async () => {
    const key = await stack.issueKey();
    const requestId = randomUUID();
    const { accountId, keyId } = key;
    const ledger = stack.api.get(CreditLedger);
    await ledger.charge({ accountId, keyId, cost: 9, operation: 'test', requestId, endUser: 'ann' });
    await charge(key, 4, 'ann');
    await ledger.refund(accountId, requestId);
    expect(await sumsBy('end_user', key)).toEqual({ ann: [4, 2] });
  });

  it('a thousand end users in a second: six are told apart, the others are together, the CSV has all', async () => {
    const key = await stack.issueKey({ tier: 'enterprise' });
    await Promise.all(Array.from({ length: 1_000 }, (_, user) => charge(key, user + 1, `user ${user}`)));
    await charge(key, 2_000);
    const { body } = await usageOf(key, 'by-day?by=end_user');
    const { series, others } = body as { series: Series[]; others: { count: number; credits: number[] } };
    expect(series.map(({ id }) => id)).toEqual([null, ...[999, 998, 997, 996, 995].map((u) => `user ${u}`)]);
    expect([others.count, others.credits.at(-1)]).toEqual([995, (995 * 996) / 2]);
    const { text } = await usageOf(key, 'export?by=end_user');
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toBe('\ufeffday,end_user,credits,requests'.trim());
    expect(lines).toHaveLength(1_002);
    expect(lines).toContain(`${new Date().toISOString().slice(0, 10)},user 7,8,1`);
    expect(lines).toContain(`${new Date().toISOString().slice(0, 10)},,2000,1`);
  });

  it('by tag: a key with two tags counts for both, as CSV too; a name that is a formula is only text', async () => {
    const key = await stack.issueKey();
    const second = await stack.issueKey({ accountId: key.accountId });
    await stack.asOwner(`UPDATE api_key SET tags = '{app,web}' WHERE id = $1`, [key.keyId]);
    await charge(key, 10, '=1+1');
    await charge(second, 3);
    expect(await sumsBy('tag', key)).toEqual({ app: [10, 1], web: [10, 1], null: [3, 1] });
    const day = new Date().toISOString().slice(0, 10);
    const csvBy = async (by: string) => (await usageOf(key, `export?by=${by}`)).text.trim().split('\r\n');
    expect((await csvBy('tag')).slice(1)).toEqual([`${day},web,10,1`, `${day},app,10,1`, `${day},,3,1`]);
    expect((await csvBy('end_user')).slice(1)).toEqual([`${day},"'=1+1",10,1`, `${day},,3,1`]);
    expect((await csvBy('operation')).slice(1)).toEqual([`${day},test,13,2`]);
    expect((await csvBy('key'))[0]).toBe('\ufeffday,key_id,key,credits,requests'.trim());
  });

  it('an end user who is called like the id of a key does not get its name', async () => {
    const key = await stack.issueKey({ name: 'Secret plans' });
    await charge(key, 1, key.keyId);
    const { body } = await usageOf(key, 'by-day?by=end_user');
    expect(body.series).toMatchObject([{ id: key.keyId, name: key.keyId }]);
  });

  it('the account itself reads its usage by end user, and the requests of one', async () => {
    const key = await stack.issueKey();
    await charge(key, 10, 'ann');
    await charge(key, 5, 'bob');
    await charge(key, 1);
    const range = { start_time: Date.now() - 60_000, end_time: Date.now() + 60_000 };
    const analytics = async (path: string, body: object) => {
      const response = await post(key, `/v1/workspace/analytics/${path}`, { ...range, ...body }, {});
      return (response.body as unknown as { rows: (string | number | null)[][] }).rows;
    };
    const usage = { interval_seconds: 366 * 86_400, group_by: ['end_user'] };
    const rows = await analytics('query/usage-by-product-over-time', usage);
    expect(rows.map(([, ...row]) => row)).toEqual([
      [null, 1, 1],
      ['ann', 10, 1],
      ['bob', 5, 1],
    ]);
    const filters = [{ column: 'end_user', operation: 'eq', values: ['bob'] }];
    const requests = await analytics('requests', { filters });
    expect(requests.map((row) => row.slice(-2))).toEqual([[5, 'bob']]);
  });

  it('routes that cost no credits do not read it', async () => {
    const headers = { 'x-end-user': ' '.repeat(3) };
    expect((await stack.request('GET', '/v1/voices', { secret: owner.secret, headers })).status).toBe(200);
  });
});

describe('422', () => {
  const refused = (loc: string[], input: unknown) => ({
    detail: [
      {
        type: 'external_id',
        loc,
        msg: `Input should be ${ACCEPTED}`,
        input,
        ctx: { accepted: ACCEPTED },
      },
    ],
  });

  it.each([
    ['101 characters', 'x'.repeat(101)],
    ['nothing', ''],
  ])('a header with %s', async (_, text) => {
    const key = await issueKey();
    const { status, body } = await speak(key, asHeader(text));
    expect([status, body]).toEqual([422, refused(['header', 'x-end-user'], text)]);
    expect(await ledgerOf(key)).toEqual([]);
  });

  it('a header that is not UTF-8', async () => {
    const { status, body } = await speak(await issueKey(), 'Zo\u00e9');
    expect([status, body.detail]).toMatchObject([422, [{ msg: 'Input should be UTF-8', input: 'Zo\u00e9' }]]);
  });

  it('a header that is sent twice', async () => {
    const key = await issueKey();
    const { status, body } = await sendTwice(key, `/v1/text-to-speech/${voiceId}`);
    expect([status, body.detail]).toMatchObject([
      422,
      [
        {
          type: 'multiple_values',
          loc: ['header', 'x-end-user'],
          msg: 'Input should be given once',
          input: 'a, b',
        },
      ],
    ]);
  });

  it('the handshake of a socket', async () => {
    const key = await issueKey();
    const url = `${stack.baseUrl}/v1/text-to-speech/${voiceId}/stream-input`;
    const headers = { 'xi-api-key': key.secret, 'x-end-user': 'x'.repeat(101) };
    const refusal = await SpeechSocketClient.open(url, headers).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HandshakeRefused);
    expect(refusal).toMatchObject({ status: 422 });
  });

  it.each([
    ['101 characters', 'x'.repeat(101)],
    ['an object', { id: 'ann' }],
    ['nothing', ''],
  ])('a body with %s', async (_, input) => {
    const key = await stack.issueKey();
    const { status, body } = await introspect(key, { end_user: input });
    expect([status, body]).toEqual([422, refused(['body', 'end_user'], input)]);
    expect(await ledgerOf(key)).toEqual([]);
  });

  it('a body with NUL', async () => {
    const { status } = await introspect(await stack.issueKey(), { end_user: 'a\u0000' });
    expect(status).toBe(422);
  });

  atLength(
    'more rows of end users than a response may have; the usage by day and its CSV have all of them',
    async () => {
      const key = await stack.issueKey();
      await charge(key, 1, 'first');
      await stack.asOwner(
        `INSERT INTO ledger_line (account, key, period_start, kind, amount, operation, request, form, end_user)
       SELECT l.account, l.key, l.period_start, l.kind, l.amount, l.operation, gen_random_uuid(), 'o', 'user ' || n
       FROM ledger_line l JOIN credit_balance b ON b.number = l.account, generate_series(1, 50000) n
       WHERE b.subject_id = $1`,
        [key.accountId],
      );
      const table = (groupBy: string[]) =>
        post(
          key,
          '/v1/workspace/analytics/query/usage-by-product-over-time',
          { start_time: Date.now() - 60_000, end_time: Date.now() + 60_000, group_by: groupBy },
          {},
        );
      const refusedTable = await table(['end_user']);
      expect([refusedTable.status, refusedTable.body.detail]).toMatchObject([
        422,
        [{ loc: ['body', 'group_by'], msg: 'Input should be such that there are at most 50000 rows' }],
      ]);
      expect((await table(['product_type'])).status).toBe(200);
      expect((await usageOf(key, 'by-day?by=end_user')).body.others).toMatchObject({ count: 49_995 });
      const { text } = await usageOf(key, 'export?by=end_user');
      expect(new Set(text.trim().split('\r\n').slice(1)).size).toBe(50_001);
    },
  );

  it('a series that does not exist', async () => {
    for (const path of ['by-day', 'export'])
      expect((await usageOf(owner, `${path}?by=colour`)).status).toBe(422);
  });
});

/** `fetch` would join the two. */
async function sendTwice({ secret }: IssuedKey, path: string): Promise<{ status: number; body: JsonBody }> {
  const headers = [
    'xi-api-key',
    secret,
    'content-type',
    'application/json',
    'x-end-user',
    'a',
    'X-End-User',
    'b',
  ];
  const { hostname, port } = new URL(stack.baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request(
      { method: 'POST', hostname, port, path, headers: ['host', hostname, ...headers] },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(Buffer.concat(chunks).toString()) as JsonBody,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ text: TEXT }));
  });
}
