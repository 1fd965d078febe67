import { randomBytes } from 'node:crypto';
import { generateSecret } from '../../libs/domain/keys/api-key-secret';
import { ApiProcess } from '../support/api-process';
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
const STEADY_BYTES_PER_SEC = 32 * 1024;
const STEADY_ENDS_MS = 45_000;
/** Fifteen seconds, thirty for the largest response, and what it takes to notice. */
const UNREAD_ENDS_MS = 52_000;
/** More than an api takes that is attacked, and a fifth of what it took before it had bounds. */
const MOST_MB = 500;
const CROWD_CONNECTIONS = 5;
/** Addresses other than that of well-behaved clients, one for each attack. */
const PIPELINERS = '127.0.0.66';
const PIPELINER = '127.0.0.67';
const UPLOADERS = '127.0.0.68';
const ATTACKER = '203.0.113.66';

let stack: Stack;
let key: IssuedKey;
let slow: RawConnection[];
let dripping: RawConnection[];
let drips: NodeJS.Timeout;
/** One that is attacked: another process, whose memory is its own. */
let target: ApiProcess;
/** One on a slow line, whose body takes longer than any window in which a body must make progress. */
let steady: RawConnection;
let pieces: NodeJS.Timeout;
let notReading: RawConnection[];

const openMany = (baseUrl = stack.baseUrl, count = SLOW_CLIENTS, from?: string) =>
  Promise.all(Array.from({ length: count }, () => RawConnection.to(baseUrl, from)));

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey();
  // They take their time while the other tests run.
  slow = await openMany();
  for (const client of slow) client.send('GET /v1/models HTTP/1.1\r\nHost: here\r\nX-Slow: ');
  dripping = await openMany();
  const headers = [withKey(), JSON_TYPE, 'Content-Length: 1000'];
  for (const client of dripping) client.send(request('POST /v1/text-to-voice', headers, '{'));
  steady = await RawConnection.to(stack.baseUrl);
  pieces = sendSteadily(steady);
  drips = setInterval(() => dripping.forEach((client) => client.send(' ')), DRIP_EVERY_MS);
  target = await ApiProcess.start(stack.config);
  // More than the buffers of the machine take.
  notReading = await openMany(target.url, CROWD_CONNECTIONS);
  for (const client of notReading) {
    client.pause();
    client.send(request('GET /openapi.json').repeat(30));
  }
});

afterAll(async () => {
  clearInterval(drips);
  clearInterval(pieces);
  for (const client of [...slow, ...dripping, ...notReading, steady]) client.close();
  await target.stop('SIGKILL');
  await stack.stop();
});

/** Sends 1 MB at 32 kB a second. */
function sendSteadily(client: RawConnection): NodeJS.Timeout {
  const body = JSON.stringify({ voice_name: 'x'.repeat(1024 * 1024 - 100) });
  const piece = (STEADY_BYTES_PER_SEC * DRIP_EVERY_MS) / 1_000;
  client.send(request('POST /v1/text-to-voice', [withKey(), JSON_TYPE, `Content-Length: ${body.length}`]));
  let sent = 0;
  return setInterval(() => client.send(body.slice(sent, (sent += piece))), DRIP_EVERY_MS);
}

/** The response to these bytes, once the connection ends or as many responses have arrived. */
async function responseTo(text: string, responses = 1): Promise<RawConnection> {
  const connection = await RawConnection.to(stack.baseUrl);
  connection.send(text);
  await eventually(() => {
    const isEnough = connection.statuses.filter((status) => status !== 100).length >= responses;
    if (!connection.isClosed && !isEnough) throw new Error(`received only: ${connection.received}`);
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
    const { received, statuses } = await responseTo(text.replace('KEY', () => key.secret));
    // Without a key, the rest of a request may be found out after its refusal.
    expect([statuses.at(-1), received.match(/internal|stack|node_modules/i)]).toEqual([400, null]);
  });

  it('a Host header that names no host, where the response would have to repeat it', async () => {
    await storeVoice(stack, { accountId: key.accountId });
    for (const text of [
      `GET /v1/voices HTTP/1.1\r\nHost: \r\n${withKey()}\r\n\r\n`,
      `GET /v1/voices HTTP/1.1\r\nHost: a b:99999\r\n${withKey()}\r\n\r\n`,
      `GET /v1/voices HTTP/1.0\r\n${withKey()}\r\n\r\n`,
    ]) {
      const { statuses, received } = await responseTo(text);
      expect([statuses, received]).toEqual([[400], expect.stringContaining('Host')]);
    }
  });
});

it.each([
  ['one header of 20 kB', ['X-Large: '.padEnd(20_000, 'x')]],
  ['two thousand headers', Array.from({ length: 2_000 }, (_, index) => `X-${index}: value`)],
  ['a hundred headers and Host', Array.from({ length: 100 }, () => 'a:b')],
  ['a thousand headers before the one that a proxy adds', Array.from({ length: 1_000 }, () => 'a:b')],
  ['an address of 40 kB', []],
])('431: %s', async (_, headers) => {
  const path = headers.length === 0 ? `/v1/${'x'.repeat(40_000)}` : '/v1/models';
  const { received, statuses } = await responseTo(request(`GET ${path}`, headers));
  expect([statuses, received]).toEqual([[431], expect.stringContaining('headers_too_large')]);
});

it('a hundred headers are accepted', async () => {
  const headers = Array.from({ length: 98 }, () => 'a:b');
  const { statuses } = await responseTo(request('GET /v1/models', [withKey(), ...headers]));
  expect(statuses).toEqual([200]);
});

it('a refused number of headers, the number given and the number accepted are named', async () => {
  const headers = Array.from({ length: 300 }, () => 'a:b');
  for (const path of ['/v1/models', '/admin/me', '/console/']) {
    const { statuses, received } = await responseTo(request(`GET ${path}`, headers));
    expect([statuses, received]).toEqual([
      [431],
      expect.stringMatching(/"code":"too_many_headers".*has 301 headers|has 301 headers.*"too_many_headers"/),
    ]);
  }
});

it.each([
  ['twice the same', ['Host: here']],
  ['another in other letters', ['hOST: elsewhere']],
])('400: two Host headers, %s', async (_, headers) => {
  for (const path of ['/v1/models', '/admin/me', '/healthz', '/nowhere']) {
    const { statuses, received } = await responseTo(request(`GET ${path}`, headers));
    expect([path, statuses, received]).toEqual([path, [400], expect.stringContaining('2 Host headers')]);
  }
});

describe('a second request cannot be hidden in the first:', () => {
  it('what follows the length of a body is a request of its own, without the key of the one before', async () => {
    const first = request('POST /v1/text-to-voice', [withKey(), JSON_TYPE, 'Content-Length: 2'], '{}');
    const { statuses } = await responseTo(first + request('GET /v1/models'), 2);
    expect(statuses).toEqual([422, 401]);
  });

  it('a request inside a body is a body', async () => {
    const inner = request('GET /v1/models', [withKey()]);
    const { statuses } = await responseTo(
      request('POST /v1/text-to-voice', [withKey(), JSON_TYPE, `Content-Length: ${inner.length}`], inner),
    );
    expect(statuses).toEqual([400]);
  });

  it('several at once get their responses in order', async () => {
    const good = request('GET /v1/models', [withKey()]);
    const { statuses } = await responseTo(
      good + request('GET /v1/nothing') + request('GET /v1/user') + good,
      4,
    );
    expect(statuses).toEqual([200, 404, 401, 200]);
  });

  it('those before what is not HTTP have their responses first', async () => {
    const good = request('GET /v1/models', [withKey()]);
    const { statuses } = await responseTo(`${good}${good}no request\r\n\r\n`, 3);
    expect(statuses).toEqual([200, 200, 400]);
    const name = `name=${'x'.repeat(20)}`;
    const form = [withKey(), 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 20'];
    const edit = request('POST /v1/voices/x/edit', form, name);
    expect((await responseTo(edit, 2)).statuses).toEqual([404, 400]);
  });
});

describe('what is unusual and allowed', () => {
  it('a probe that speaks HTTP/1.0 and names no host', async () => {
    const { statuses } = await responseTo('GET /healthz HTTP/1.0\r\n\r\n');
    expect(statuses).toEqual([200]);
  });

  it('a body on a GET is read over, and the next request is understood', async () => {
    const get = request('GET /v1/models', [withKey(), JSON_TYPE, 'Content-Length: 2'], '{}');
    const { statuses } = await responseTo(get + get, 2);
    expect(statuses).toEqual([200, 200]);
  });

  it('who waits for 100 Continue gets it, or is refused', async () => {
    const headers = [JSON_TYPE, 'Content-Length: 2', 'Expect: 100-continue'];
    const { statuses } = await responseTo(request('POST /v1/text-to-voice', [withKey(), ...headers], '{}'));
    expect(statuses).toEqual([100, 422]);
    expect((await responseTo(request('POST /v1/text-to-voice', ['Expect: miracles']))).statuses).toEqual([
      417,
    ]);
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
  const { statuses, received } = await responseTo(request(line, headers));
  expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
  expect(received).not.toMatch(/^location:/im);
});

describe('415', () => {
  it('a body that is compressed by something else than gzip, or says so', async () => {
    for (const encoding of ['br', 'deflate', 'x-unknown']) {
      const headers = { 'content-encoding': encoding };
      const response = await stack.request('POST', '/v1/text-to-voice', {
        secret: key.secret,
        body: {},
        headers,
      });
      expect([response.status, response.body.detail]).toEqual([
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

describe('no cache keeps what a credential decides:', () => {
  it.each([
    ['a list', 'GET', '/v1/voices'],
    ['a list without a key', 'GET', '/v1/voices'],
    ['an unknown place', 'GET', '/v1/nothing'],
    ['what staff see', 'GET', '/admin/me'],
    ['the state of the process', 'GET', '/readyz'],
    ['a broken address', 'GET', '/v1/%zz'],
    ['a new token', 'POST', '/v1/single-use-token/text_to_voice_create'],
  ])('%s', async (name, method, path) => {
    const secret = name.includes('without') ? undefined : key.secret;
    const { headers } = await stack.request(method, path, { secret });
    expect([
      headers.get('cache-control'),
      headers.get('vary')?.includes('xi-api-key'),
      headers.get('x-content-type-options'),
      headers.get('strict-transport-security'),
    ]).toEqual(['private, no-store', true, 'nosniff', null]);
  });

  it('a request that is not HTTP', async () => {
    const { received } = await responseTo('BREW\r\n\r\n');
    expect(received).toMatch(/cache-control: private, no-store\r\n[^]*x-content-type-options: nosniff\r\n/);
  });

  it('a recording, which only its own reader may keep', async () => {
    const voiceId = await storeVoice(stack, { accountId: key.accountId });
    const voice = await stack.request('GET', `/v1/voices/${voiceId}`, { secret: key.secret });
    const [sample] = voice.body.samples as { sample_id: string }[];
    const path = `/v1/voices/${voiceId}/samples/${sample!.sample_id}/audio`;
    const { status, headers } = await stack.request('GET', path, { secret: key.secret });
    expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([
      200,
      'private, no-cache',
      expect.stringContaining('xi-api-key'),
    ]);
  });
});

it('what is the same for every caller may be kept', async () => {
  for (const path of ['/openapi.json', '/docs']) {
    const { headers } = await stack.request('GET', path);
    expect([path, headers.get('cache-control')]).toEqual([path, 'public, max-age=300']);
  }
});

it('a doubled header never counts as one of the two', async () => {
  const { statuses } = await responseTo(request('GET /v1/models', [withKey(), 'xi-api-key: grk_other']));
  expect(statuses).toEqual([401]);
});

it(`${SLOW_CLIENTS} clients that never end their headers delay no other client, and are disconnected`, async () => {
  const startedAt = performance.now();
  expect((await stack.request('GET', '/v1/models', { secret: key.secret })).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  await eventually(() => expect(slow.filter(({ isClosed }) => !isClosed).length).toBe(0), {
    withinMs: SLOW_ENDS_MS,
  });
  expect(new Set(slow.flatMap(({ statuses }) => statuses))).toEqual(new Set([408]));
});

it(`${SLOW_CLIENTS} clients whose bodies come byte by byte are sent away too`, async () => {
  await eventually(() => expect(dripping.filter(({ isClosed }) => !isClosed).length).toBe(0), {
    withinMs: DRIPPING_ENDS_MS,
  });
  expect(new Set(dripping.flatMap(({ statuses }) => statuses))).toEqual(new Set([408]));
});

it('a body that takes longer and makes progress is read to its end', async () => {
  await eventually(() => expect(steady.statuses).toEqual([422]), { withinMs: STEADY_ENDS_MS });
});

describe('the process lives, its memory is bounded, and the attacker is cut off:', () => {
  const countOpen = (clients: RawConnection[]) => clients.filter(({ isClosed }) => !isClosed).length;
  const expectUnharmed = async () => {
    const { status } = await fetch(`${target.url}/v1/models`, { headers: { 'xi-api-key': key.secret } });
    expect([status, target.isAlive]).toEqual([200, true]);
    expect(target.peakMb).toBeLessThan(MOST_MB);
  };

  it('57 kB of requests at once on each of 6 connections, and nothing is read', async () => {
    const clients = await openMany(target.url, 6, PIPELINERS);
    for (const client of clients) {
      client.pause();
      client.send(request('GET /openapi.json').repeat(1_400));
    }
    await expectUnharmed();
    clients.forEach((client) => client.resume());
    await eventually(() => expect(countOpen(clients)).toBe(0));
    await expectUnharmed();
  });

  it('more requests on one connection than may wait', async () => {
    const open = async () => (await openMany(target.url, 1, PIPELINER))[0]!;
    const client = await open();
    client.send(request('GET /v1/models').repeat(40));
    await eventually(() => expect(client.isClosed).toBe(true));
    const next = await open();
    await eventually(() => expect(next.isClosed).toBe(true));
    await expectUnharmed();
    await eventually(async () => {
      const later = await open();
      later.send(request('GET /healthz'));
      await eventually(() => expect(later.statuses).toEqual([200]), { withinMs: 500 });
    });
  });

  it('200 bodies of 1 MB at once, from one address', async () => {
    const body = JSON.stringify({ voice_name: 'x'.repeat(1024 * 1024 - 100) });
    const headers = [withKey(), JSON_TYPE, `Content-Length: ${body.length}`];
    const bytes = request('POST /v1/text-to-voice', headers, body);
    const clients = await openMany(target.url, 200, UPLOADERS);
    for (const client of clients) client.send(bytes.slice(0, -1));
    const count = (status: number) => clients.filter(({ statuses }) => statuses.includes(status)).length;
    await eventually(() => expect(count(429)).toBe(192));
    await expectUnharmed();
    for (const client of clients) client.send(bytes.slice(-1));
    await eventually(() => expect(count(422)).toBe(8));
    await expectUnharmed();
    const refused = clients.find(({ statuses }) => statuses.includes(429))!.received;
    expect(refused).toContain('"code":"too_many_large_bodies"');
    clients.forEach((client) => client.close());
    const [again] = await openMany(target.url, 1, UPLOADERS);
    again!.send(bytes);
    await eventually(() => expect(again!.statuses).toEqual([422]));
  });

  it('declared bodies of strangers, from twenty addresses, while a customer sends one of 1 MB', async () => {
    const form = ['Content-Type: multipart/form-data; boundary=x', `Content-Length: ${11 * 1024 * 1024}`];
    const report = [JSON_TYPE, `Content-Length: ${1024 * 1024}`];
    const strangers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => RawConnection.to(target.url, `127.0.1.${1 + index}`)),
    );
    for (const [index, stranger] of strangers.entries())
      stranger.send(
        index < 10 ? request('POST /unsubscribe/x', form) : request('POST /secret-scanning/github', report),
      );
    await eventually(async () => {
      const body = JSON.stringify({ voice_name: 'x'.repeat(1024 * 1024 - 100) });
      const [customer] = await openMany(target.url, 1, UPLOADERS);
      customer!.send(
        request('POST /v1/text-to-voice', [withKey(), JSON_TYPE, `Content-Length: ${body.length}`], body),
      );
      await eventually(() => expect(customer!.statuses).toEqual([422]));
    });
    expect(strangers.flatMap(({ statuses }) => statuses)).toContain(429);
    await expectUnharmed();
    for (const stranger of strangers) stranger.close();
  });

  it.each([
    ['90,000 fields', Array.from({ length: 90_000 }, (_, index) => `"f${index}":1`).join(','), '{', '}'],
    ['500,000 levels', ']'.repeat(500_000), '['.repeat(500_000), ''],
  ])('%s in a body of someone without a credential', async (_, text, start, end) => {
    const response = await fetch(`${target.url}/admin/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `${start}${text}${end}`,
    });
    expect(Math.floor(response.status / 100)).toBe(4);
    await expectUnharmed();
  });

  it(`${CROWD_CONNECTIONS} clients that never read what they have requested`, async () => {
    await eventually(
      () => {
        // Between requests this is nothing (RFC 9112, 2.2): its only purpose is to learn that the other side has left.
        notReading.forEach((client) => client.send('\r\n'));
        expect(countOpen(notReading)).toBe(0);
      },
      { withinMs: UNREAD_ENDS_MS },
    );
    await expectUnharmed();
  });
});

describe('behind a proxy', () => {
  let behind: Stack;
  let good: IssuedKey;

  beforeAll(async () => {
    const env = { TRUSTED_PROXIES: '127.0.0.1', HSTS_MAX_AGE_SECS: '31536000' };
    behind = await Stack.start({ worker: false, env });
    good = await behind.issueKey();
  });

  afterAll(async () => {
    await behind.stop();
  });

  const listModels = (secret: string, address: string) =>
    behind.request('GET', '/v1/models', { secret, headers: { 'x-forwarded-for': address } });

  it('an address that invents keys is refused before they are looked up; valid keys continue to work', async () => {
    expect((await listModels(good.secret, ATTACKER)).status).toBe(200);
    const invent = () => listModels(generateSecret('api_key', randomBytes), `${ATTACKER}:1234`);
    expect((await invent()).status).toBe(401);
    const refused = await eventually(async () => {
      const responses = await Promise.all(Array.from({ length: 60 }, invent));
      const found = responses.find(({ status }) => status === 429);
      if (!found) throw new Error('every invented key was looked up');
      return found;
    });
    expect(refused.body.detail?.code).toBe('too_many_failed_credentials');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await listModels(good.secret, ATTACKER)).status).toBe(200);
    expect((await listModels(generateSecret('api_key', randomBytes), '203.0.113.9')).status).toBe(401);
  });

  it('browsers are directed to https:// only, where that is configured', async () => {
    const { headers } = await behind.request('GET', '/healthz');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

it('an address opens only so many connections', async () => {
  const limited = await Stack.start({ worker: false, env: { MAX_CONNECTIONS_PER_ADDRESS: '5' } });
  try {
    const clients = await openMany(limited.baseUrl, 9);
    await eventually(() => expect(clients.filter(({ isClosed }) => isClosed).length).toBe(4));
    clients.forEach((client) => client.close());
    await eventually(async () => {
      expect((await limited.request('GET', '/healthz')).status).toBe(200);
    });
  } finally {
    await limited.stop();
  }
});
