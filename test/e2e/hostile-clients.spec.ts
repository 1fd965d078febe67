import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';
import { Stack, type IssuedKey } from '../support/stack';
import { storeVoice } from '../support/stored-voices';

const SLOW_CLIENTS = 50;
/** Ten seconds for the headers, and what it takes to notice. */
const SLOW_ENDS_MS = 14_000;
/** Twenty-five seconds for a whole request, and what it takes to notice. */
const DRIPPING_ENDS_MS = 29_000;
const DRIP_EVERY_MS = 500;

let stack: Stack;
let key: IssuedKey;
let slow: RawConnection[];
let dripping: RawConnection[];
let drips: NodeJS.Timeout;

const openMany = () =>
  Promise.all(Array.from({ length: SLOW_CLIENTS }, () => RawConnection.to(stack.baseUrl)));

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey();
  // They take their time while everything else here goes on.
  slow = await openMany();
  for (const client of slow) client.send('GET /v1/models HTTP/1.1\r\nHost: here\r\nX-Slow: ');
  dripping = await openMany();
  const headers = [withKey(), JSON_TYPE, 'Content-Length: 1000'];
  for (const client of dripping) client.send(request('POST /v1/text-to-voice', headers, '{'));
  drips = setInterval(() => dripping.forEach((client) => client.send(' ')), DRIP_EVERY_MS);
});

afterAll(async () => {
  clearInterval(drips);
  for (const client of [...slow, ...dripping]) client.close();
  await stack.stop();
});

/** What is answered to these bytes, once the connection ends or as many answers are there. */
async function answerTo(text: string, answers = 1): Promise<RawConnection> {
  const connection = await RawConnection.to(stack.baseUrl);
  connection.send(text);
  await eventually(() => {
    const isEnough = connection.statuses.filter((status) => status !== 100).length >= answers;
    if (!connection.isClosed && !isEnough) throw new Error(`only answered: ${connection.received}`);
  });
  connection.close();
  return connection;
}

const request = (line: string, headers: string[] = [], body = '') =>
  [`${line} HTTP/1.1`, 'Host: here', ...headers, '', body].join('\r\n');
const withKey = () => `xi-api-key: ${key.secret}`;
const JSON_TYPE = 'Content-Type: application/json';

describe('400', () => {
  it.each([
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a method that does not exist', request('BREW /v1/models')],
    ['no host', 'GET /v1/models HTTP/1.1\r\n\r\n'],
    ['a version that does not exist', 'GET /v1/models HTTP/9.9\r\nHost: here\r\n\r\n'],
    [
      'two different lengths',
      request('POST /v1/text-to-voice', ['Content-Length: 2', 'Content-Length: 3'], '{}'),
    ],
    [
      'a length and chunks',
      request('POST /v1/text-to-voice', ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    ],
    [
      'a transfer encoding that hides chunks',
      request('POST /v1/text-to-voice', ['Transfer-Encoding: xchunked'], '0\r\n\r\n'),
    ],
    ['a length with a sign', request('POST /v1/text-to-voice', ['Content-Length: +2'], '{}')],
    ['a space before the colon', request('POST /v1/text-to-voice', ['Content-Length : 2'], '{}')],
    ['a header over two lines', request('GET /v1/models', ['X-Long: a', ' b'])],
    ['a NUL in a header', request('GET /v1/models', ['X-Null: a\0b'])],
    ['a bare carriage return in a header', request('GET /v1/models', ['X-Return: a\rb: c'])],
    [
      'a chunk of a size beyond all numbers',
      request(
        'POST /v1/text-to-voice',
        [JSON_TYPE, 'Transfer-Encoding: chunked', 'xi-api-key: KEY'],
        'FFFFFFFFFFFFFFFFF\r\n',
      ),
    ],
  ])('%s', async (_, text) => {
    const { received, statuses } = await answerTo(text.replace('KEY', () => key.secret));
    // Without a key, the rest of a request may be found out after its refusal.
    expect([statuses.at(-1), received.match(/internal|stack|node_modules/i)]).toEqual([400, null]);
  });

  it('a Host header that names no host, where the answer would have to repeat it', async () => {
    await storeVoice(stack, { accountId: key.accountId });
    for (const text of [
      `GET /v1/voices HTTP/1.1\r\nHost: \r\n${withKey()}\r\n\r\n`,
      `GET /v1/voices HTTP/1.1\r\nHost: a b:99999\r\n${withKey()}\r\n\r\n`,
      `GET /v1/voices HTTP/1.0\r\n${withKey()}\r\n\r\n`,
    ]) {
      const { statuses, received } = await answerTo(text);
      expect([statuses, received]).toEqual([[400], expect.stringContaining('Host')]);
    }
  });
});

it.each([
  ['one header of 20 kB', ['X-Large: '.padEnd(20_000, 'x')]],
  ['two thousand headers', Array.from({ length: 2_000 }, (_, index) => `X-${index}: value`)],
  ['an address of 40 kB', []],
])('431: %s', async (_, headers) => {
  const path = headers.length === 0 ? `/v1/${'x'.repeat(40_000)}` : '/v1/models';
  const { received, statuses } = await answerTo(request(`GET ${path}`, headers));
  expect([statuses, received]).toEqual([[431], expect.stringContaining('headers_too_large')]);
});

describe('a second request cannot be hidden in the first:', () => {
  it('what follows the length of a body is a request of its own, without the key of the one before', async () => {
    const first = request('POST /v1/text-to-voice', [withKey(), JSON_TYPE, 'Content-Length: 2'], '{}');
    const { statuses } = await answerTo(first + request('GET /v1/models'), 2);
    expect(statuses).toEqual([422, 401]);
  });

  it('a request inside a body is a body', async () => {
    const inner = request('GET /v1/models', [withKey()]);
    const { statuses } = await answerTo(
      request('POST /v1/text-to-voice', [withKey(), JSON_TYPE, `Content-Length: ${inner.length}`], inner),
    );
    expect(statuses).toEqual([400]);
  });

  it('several at once are answered in their order', async () => {
    const good = request('GET /v1/models', [withKey()]);
    const { statuses } = await answerTo(
      good + request('GET /v1/nothing') + request('GET /v1/user') + good,
      4,
    );
    expect(statuses).toEqual([200, 404, 401, 200]);
  });
});

describe('what is unusual and allowed', () => {
  it('a probe that speaks HTTP/1.0 and names no host', async () => {
    const { statuses } = await answerTo('GET /healthz HTTP/1.0\r\n\r\n');
    expect(statuses).toEqual([200]);
  });

  it('a body on a GET is read over, and the next request is understood', async () => {
    const get = request('GET /v1/models', [withKey(), JSON_TYPE, 'Content-Length: 2'], '{}');
    const { statuses } = await answerTo(get + get, 2);
    expect(statuses).toEqual([200, 200]);
  });

  it('who waits for 100 Continue gets it, or is refused', async () => {
    const headers = [JSON_TYPE, 'Content-Length: 2', 'Expect: 100-continue'];
    const { statuses } = await answerTo(request('POST /v1/text-to-voice', [withKey(), ...headers], '{}'));
    expect(statuses).toEqual([100, 422]);
    expect((await answerTo(request('POST /v1/text-to-voice', ['Expect: miracles']))).statuses).toEqual([417]);
  });
});

it.each([
  ['an absolute address', 'GET http://here/admin/me'],
  ['an absolute address elsewhere', 'GET http://169.254.169.254/latest/meta-data'],
  ['two slashes', 'GET //evil.example/admin/me'],
  ['a tunnel', 'CONNECT evil.example:443'],
  ['a trace', 'TRACE /v1/models'],
  ['an upgrade', 'GET /admin/me'],
])('neither opens a door nor leads elsewhere: %s', async (name, line) => {
  const headers = name === 'an upgrade' ? ['Connection: Upgrade', 'Upgrade: websocket'] : [];
  const { statuses, received } = await answerTo(request(line, headers));
  expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
  expect(received).not.toMatch(/^location:/im);
});

describe('415', () => {
  it('a body that is compressed, or says so', async () => {
    for (const encoding of ['gzip', 'br', 'x-unknown']) {
      const headers = { 'content-encoding': encoding };
      const answer = await stack.request('POST', '/v1/text-to-voice', {
        secret: key.secret,
        body: {},
        headers,
      });
      expect([answer.status, answer.body.detail]).toEqual([
        415,
        expect.objectContaining({
          code: 'invalid_content_type',
          message: expect.stringContaining(encoding) as string,
        }),
      ]);
    }
    const headers = { 'content-encoding': 'identity' };
    expect(
      (await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body: {}, headers })).status,
    ).toBe(422);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ])('JSON that says it is %s, as a page of another site can send it', async (type) => {
    for (const path of ['/v1/text-to-voice', '/admin/auth/sign-in']) {
      const headers = { 'content-type': type };
      const { status } = await stack.request('POST', path, { secret: key.secret, body: '{}', headers });
      expect([path, status]).toEqual([path, 415]);
    }
  });
});

it('a doubled header never counts as one of the two', async () => {
  const { statuses } = await answerTo(request('GET /v1/models', [withKey(), 'xi-api-key: grk_other']));
  expect(statuses).toEqual([401]);
});

it(`${SLOW_CLIENTS} clients that never end their headers keep nobody waiting, and are sent away`, async () => {
  const startedAt = performance.now();
  expect((await stack.request('GET', '/v1/models', { secret: key.secret })).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  await eventually(() => expect(slow.filter(({ isClosed }) => !isClosed)).toEqual([]), {
    withinMs: SLOW_ENDS_MS,
  });
  expect(new Set(slow.flatMap(({ statuses }) => statuses))).toEqual(new Set([408]));
});

it(`${SLOW_CLIENTS} clients whose bodies come byte by byte are sent away too`, async () => {
  await eventually(() => expect(dripping.filter(({ isClosed }) => !isClosed)).toEqual([]), {
    withinMs: DRIPPING_ENDS_MS,
  });
  expect(new Set(dripping.flatMap(({ statuses }) => statuses))).toEqual(new Set([408]));
});
