import { OPERATIONS, type Credential } from '../fuzz/operations';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';

/** What every object inherits unless it is created without a prototype. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

let stack: Stack;
let key: IssuedKey;
let admin: StaffClient;
let service: string;
let editPath: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey();
  admin = await StaffClient.signedIn(stack, 'admin');
  const credential = await admin.post('/admin/service-credentials', { name: 'speech', reason: 'A test' });
  service = credential.body.secret as string;
  editPath = `/v1/voices/${await storeVoice(stack, { accountId: key.accountId, name: 'before' })}/edit`;
});

afterAll(async () => {
  await stack.stop();
});

const FIELD = 'content-disposition: form-data; name="name"\r\n\r\nafter';
const FILE = 'content-disposition: form-data; name="files"; filename="a.mp3"\r\n\r\nabc';

async function sendForm(body: string, type = 'multipart/form-data; boundary=x') {
  const headers = { 'content-type': type };
  return stack.request('POST', editPath, { secret: key.secret, body, headers });
}

describe('400: a form that is broken', () => {
  it.each([
    ['a file without an end', `--x\r\n${FILE}`],
    ['a file and then a text without an end', `--x\r\n${FILE}\r\n--x\r\n${FIELD}`],
    ['a text without an end', `--x\r\n${FIELD}`],
    ['the headers of a part only', '--x\r\ncontent-disp'],
    ['a part that only begins', `--x\r\n${FIELD}\r\n--x\r\n`],
    ['an end with one dash', `--x\r\n${FIELD}\r\n--x-`],
    ['another boundary than its type says', `--y\r\n${FIELD}\r\n--y--`],
    ['20,000 parts', `${'--x\r\ncontent-disposition:form-data;name=n\r\n\r\n\r\n'.repeat(20_000)}--x--`],
    ['20,000 files', `${`--x\r\n${FILE}\r\n`.repeat(10_000)}--x`],
    ['nothing in it', ''],
  ])('%s', async (_, body) => {
    const { status, body: response } = await sendForm(body);
    expect([status, response.detail]).toEqual([400, expect.objectContaining({ code: 'bad_request' })]);
    const voice = await stack.request('GET', editPath.replace('/edit', ''), { secret: key.secret });
    expect([voice.status, voice.body.name]).toEqual([200, 'before']);
  });
});

describe('names that every object has are fields like any other', () => {
  it.each(INHERITED)('%s at the sign-in', async (name) => {
    for (const value of ['1', 'null', '{}', '{"name":"Object"}', '{"prototype":{}}', '[]', '"x"']) {
      const body = `{"email":"a@example.test","${name}":${value}}`;
      const { status, body: response } = await stack.request('POST', '/admin/auth/sign-in', { body });
      // The other field that is wanted; no parser takes the name that would set a prototype.
      const missing = [expect.objectContaining({ pointer: '#/password' })];
      const expected = name === '__proto__' ? [400, undefined] : [422, missing];
      expect([value, status, response.errors]).toEqual([value, ...expected]);
    }
  });
});

describe('names that every object has stand for nothing', () => {
  const SEND: Record<
    Credential,
    (method: string, path: string, body?: object) => Promise<{ status: number }>
  > = {
    api_key: (method, path, body) => stack.request(method, path, { secret: key.secret, body }),
    staff_session: (method, path, body) => admin.send(method, path, body, { 'if-match': '*' }),
    service_credential: (method, path, body) =>
      stack.request(method, path, { body, headers: { authorization: `Bearer ${service}` } }),
    none: (method, path, body) => stack.request(method, path, { body }),
  };

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    '%s as part of a path, in a query and as a field of every operation',
    async (name) => {
      const withPath = OPERATIONS.filter(({ parameters }) => parameters.some((each) => each.in === 'path'));
      expect(withPath.length).toBeGreaterThan(50);
      for (const { name: operation, method, path, credential, bodies } of withPath) {
        const place = `${path.replace(/\{\w+\}/g, name)}?${name}=${name}`;
        const body = bodies.length > 0 ? { [name]: { [name]: name }, reason: 'A test' } : undefined;
        const { status } = await SEND[credential](method, place, body);
        expect(status >= 400 && status < 500 ? 'refused' : `${operation}: ${status}`).toBe('refused');
      }
    },
  );

  it('as parts of a form they are ignored, as every name that it does not know', async () => {
    const part = (name: string) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\nbefore\r\n`;
    const { status } = await sendForm(`${['name', ...INHERITED].map(part).join('')}--x--`);
    expect(status).toBe(200);
  });

  it('as labels they are stored and found as given', async () => {
    const names = INHERITED.filter((name) => name !== '__proto__');
    const labels = Object.fromEntries(names.map((name) => [name, `a ${name}`]));
    const part = (name: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const edit = await sendForm(`${part('name', 'before')}${part('labels', JSON.stringify(labels))}--x--`);
    expect(edit.status).toBe(200);
    const voice = await stack.request('GET', editPath.replace('/edit', ''), { secret: key.secret });
    expect(Object.entries(voice.body.labels as object)).toEqual(
      expect.arrayContaining(Object.entries(labels)),
    );
  });
});

describe('a body is refused before it is read to its end:', () => {
  const manyFields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1])));
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  it.each([
    ['90,000 unknown fields', manyFields(90_000)],
    ['one byte more than 16 kB', JSON.stringify({ email: 'x'.repeat(16_384 - 11) })],
    ['500,000 lists in each other', deep(500_000)],
    ['500,000 lists that never end', '['.repeat(500_000)],
  ])('413: %s at the sign-in', async (_, body) => {
    for (const path of ['sign-in', 'second-factor', 'oidc']) {
      const { status, body: response } = await stack.request('POST', `/admin/auth/${path}`, { body });
      expect([path, status, response.detail]).toEqual([path, 413, expect.stringContaining('16384 bytes')]);
    }
  });

  it('422: a sign-in of 16 kB', async () => {
    const body = JSON.stringify({ email: 'x'.repeat(16_384 - 12) });
    expect((await stack.request('POST', '/admin/auth/sign-in', { body })).status).toBe(422);
  });

  it.each([
    ['90,000 unknown fields', manyFields(90_000), '10000 members and items'],
    ['10,000 items', JSON.stringify({ labels: Array.from({ length: 10_000 }, () => 1) }), '10000 members'],
    ['500,000 lists in each other', deep(500_000), 'deeper than 32'],
    ['500,000 lists that never end', '['.repeat(500_000), 'deeper than 32'],
  ])('400: %s with a key', async (_, body, said) => {
    const response = await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body });
    expect([response.status, response.body.detail]).toEqual([
      400,
      expect.objectContaining({ code: 'malformed_json', message: expect.stringContaining(said) as string }),
    ]);
  });

  it('422: 9,000 unknown fields of a staff member, of which the response names twenty', async () => {
    const { status, body } = await admin.post('/admin/accounts', JSON.parse(manyFields(9_000)) as object);
    const errors = body.errors as { pointer: string }[];
    expect([status, errors.filter(({ pointer }) => /^#\/f\d+$/.test(pointer)).length]).toEqual([422, 20]);
  });

  it('400: 101 fields of a service', async () => {
    const headers = {
      authorization: `Bearer ${service}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const send = (fields: number) =>
      stack.request('POST', '/introspect', { headers, body: `token=x${'&a=1'.repeat(fields - 1)}` });
    expect((await send(100)).status).toBe(200);
    const { status, body } = await send(101);
    expect([status, body.detail?.message]).toEqual([400, expect.stringContaining('more than 100 fields')]);
  });

  it.each([
    ['500,000 lists in each other', deep(500_000)],
    ['40,000 labels', manyFields(40_000)],
    ['a name that sets a prototype', '{"__proto__":"x"}'],
  ])('422: labels of a form that are %s', async (_, labels) => {
    const part = (name: string, value: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const { status, body } = await sendForm(`${part('name', 'after')}${part('labels', labels)}--x--`);
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'labels'] })]]);
  });
});
