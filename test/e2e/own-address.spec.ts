import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../libs/config/app-config';
import { checkAddress } from '../../src/cli/doctor/check-address';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';

/** Where people reach an installation: its cookies, links and refusals follow that. */

const ORIGIN = 'https://greenroom.example.com';
const BY_PROXY = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'greenroom.example.com' };

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({
    worker: false,
    env: { HOST: '0.0.0.0', TRUSTED_PROXIES: '127.0.0.1' },
  });
});

afterAll(async () => {
  await stack.stop();
});

const cookiesOf = ({ headers }: { headers: Headers }) => headers.getSetCookie().join('\n');

describe('over plain http, on a private network', () => {
  it('the cookie is one that a browser keeps, and the session works', async () => {
    const tab = new StaffClient(stack.baseUrl);
    const response = await tab.signIn(await addPerson(stack, 'support'));
    expect(response.status).toBe(200);
    expect(cookiesOf(response)).toMatch(/^greenroom-[0-9a-f]{8}\.session_token=/m);
    expect(cookiesOf(response)).not.toContain('Secure');
    expect((await tab.get('/admin/me')).status).toBe(200);
    expect(cookiesOf(await tab.post('/admin/auth/sign-out'))).not.toContain('Secure');
  });
});

describe('behind a trusted proxy with TLS, without PUBLIC_URL', () => {
  it('the cookies are Secure, for TLS alone, and the origin is that of the proxy', async () => {
    const person = await addPerson(stack, 'support');
    const tab = new StaffClient(stack.baseUrl, { ...BY_PROXY, origin: ORIGIN });
    const response = await tab.signIn(person);
    expect(response.status).toBe(200);
    const cookies = response.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Host-greenroom-[0-9a-f]{8}\..*; Secure$/);
    expect((await tab.get('/admin/me')).body.email).toBe(person.email);
    const inClear = await tab.get('/admin/me', { 'x-forwarded-proto': 'http' });
    expect(inClear.status).toBe(401);
    expect((await tab.post('/admin/auth/sign-out')).status).toBe(204);
    expect(tab.cookies.has([...tab.cookies.keys()].find((name) => name.includes('session')) ?? '')).toBe(
      false,
    );
  });

  it('a page of another origin is refused, with what to set', async () => {
    const tab = new StaffClient(stack.baseUrl, { ...BY_PROXY, origin: 'https://evil.example' });
    const { status, body } = await tab.signIn(await addPerson(stack, 'support'));
    expect([status, body.code]).toEqual([403, 'cross_site_request']);
    expect(body.detail).toContain(
      `(https://evil.example) and was refused: this installation is reached at ${ORIGIN}`,
    );
    expect(body.detail).toContain('set PUBLIC_URL');
  });

  it('the preview_url of a voice begins with it, and with the address of the request without a proxy', async () => {
    const { accountId, secret } = await stack.issueKey();
    const voiceId = await storeVoice(stack, { accountId });
    const urlOf = async (headers: Record<string, string>) => {
      const { body } = await stack.request('GET', `/v1/voices/${voiceId}`, { secret, headers });
      return new URL(String(body.preview_url)).origin;
    };
    expect(await urlOf(BY_PROXY)).toBe(ORIGIN);
    expect(await urlOf({})).toBe(new URL(stack.baseUrl).origin);
  });
});

it('two installations on one host do not end each other’s sessions', async () => {
  const other = await Stack.start({
    worker: false,
    env: { APP_SECRET: 'the-secret-of-another-installation-on-this-host' },
  });
  try {
    const [one, two] = [new StaffClient(stack.baseUrl), new StaffClient(other.baseUrl)];
    await one.signIn(await addPerson(stack, 'support'));
    // A browser sends the cookies of a host to each of its ports.
    for (const [name, value] of one.cookies) two.cookies.set(name, value);
    await two.signIn(await addPerson(other, 'support'));
    for (const [name, value] of two.cookies) one.cookies.set(name, value);
    expect((await one.get('/admin/me')).status).toBe(200);
    expect((await two.get('/admin/me')).status).toBe(200);
    await two.post('/admin/auth/sign-out');
    expect((await one.get('/admin/me')).status).toBe(200);
  } finally {
    await other.stop();
  }
});

it('an IP address as PUBLIC_URL has no passkeys', async () => {
  const byAddress = await Stack.start({ worker: false, env: { PUBLIC_URL: 'https://192.0.2.7' } });
  try {
    const { body } = await new StaffClient(byAddress.baseUrl).get('/admin/auth/methods');
    expect(body.passkey_host).toBeNull();
  } finally {
    await byAddress.stop();
  }
});

describe('the doctor', () => {
  const check = (env: Record<string, string>) => checkAddress(loadConfig(env));

  it('compares PUBLIC_URL with what responds there', async () => {
    const other = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      expect(await check({ PUBLIC_URL: `http://127.0.0.1:${port}` })).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining('is not this installation: /healthz is 404'),
      });
    } finally {
      other.close();
    }
    const here = new URL(stack.baseUrl).port;
    expect(await check({ PUBLIC_URL: `http://127.0.0.1:${here}` })).toMatchObject({ status: 'ok' });
    expect(await check({ PUBLIC_URL: 'http://localhost:1' })).toMatchObject({ status: 'warning' });
  });

  it('says when PUBLIC_URL is missing', async () => {
    expect(await check({})).toMatchObject({ status: 'ok' });
    expect(await check({ HOST: '0.0.0.0' })).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('Set PUBLIC_URL.'),
    });
  });
});
