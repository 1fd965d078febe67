import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let staff: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  staff = await StaffClient.signedIn(stack, 'admin');
});

afterAll(async () => {
  await stack.stop();
});

interface Raw {
  headers: NodeJS.Dict<string | string[]>;
  bytes: Buffer;
}

/** As it comes over the wire: `fetch` would decode it. */
function get(path: string, headers: Record<string, string>, method = 'GET', body?: object): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = request(
      stack.baseUrl + path,
      { method, headers: { ...headers, ...(body && { 'content-type': 'application/json' }) } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }));
      },
    );
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

const asStaff = (headers: Record<string, string> = {}) => ({ cookie: staff.cookieHeader, ...headers });
const LIST = '/admin/key-permissions';

it.each([
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
])('JSON for staff, when %s is accepted, is compressed with %s', async (accepted, coding, decode) => {
  const plain = await get(LIST, asStaff());
  expect(plain.bytes.length).toBeGreaterThan(1_000);
  const { headers, bytes } = await get(LIST, asStaff({ 'accept-encoding': accepted }));
  expect(headers['content-encoding']).toBe(coding);
  expect(headers['content-type']).toBe(plain.headers['content-type']);
  expect(headers['content-length']).toBe(String(bytes.length));
  expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
  expect(decode(bytes).equals(plain.bytes)).toBe(true);
  for (const { vary } of [headers, plain.headers]) expect(vary).toMatch(/\bcookie\b.*\baccept-encoding$/);
});

it('as it is: without Accept-Encoding, below a kilobyte, and when every coding is refused', async () => {
  const accepted = { 'accept-encoding': 'br, gzip' };
  for (const [path, headers] of [
    [LIST, {}],
    [LIST, { 'accept-encoding': 'br;q=0, gzip;q=0' }],
    ['/admin/me/sessions', accepted],
  ] as const) {
    expect((await get(path, asStaff(headers))).headers['content-encoding']).toBeUndefined();
  }
});

it('no response to a change, which may carry a secret, and nothing of the public API', async () => {
  const accepted = { 'accept-encoding': 'br, gzip' };
  const name = 'x'.repeat(100);
  const body = { name, reason: 'y'.repeat(400) };
  const { headers } = await get('/admin/service-credentials', asStaff(accepted), 'POST', body);
  expect(headers['content-encoding']).toBeUndefined();
  expect(headers.vary).not.toMatch(/accept-encoding/);
  const { secret } = await stack.issueKey();
  const models = await get('/v1/models', { ...accepted, 'xi-api-key': secret });
  expect(models.bytes.length).toBeGreaterThan(1_000);
  expect(models.headers['content-encoding']).toBeUndefined();
});
