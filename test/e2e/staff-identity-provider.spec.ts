import { freePort } from '../support/redis-server';
import { CLIENT_SECRET, IdentityProvider, type Claims } from '../support/identity-provider';
import { codeOf } from '../support/authenticator';
import { addSecondFactor } from '../support/second-factor';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';

let stack: Stack;
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  const port = await freePort();
  stack = await Stack.start({
    worker: false,
    env: {
      PORT: String(port),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'greenroom',
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
    },
  });
});

afterAll(async () => {
  await provider.stop();
  await stack.stop();
});

beforeEach(async () => {
  // All come from one address, which may try only so often.
  await stack.dataSource.query('DELETE FROM staff_auth.attempt_bucket');
  provider.forges = false;
  provider.tokenAuth = undefined;
  provider.sendsClaimsApart = false;
});

/** Through the provider and back: where the browser ends up. */
async function signIn(browser: StaffClient, claims: Partial<Claims> & { email: string }) {
  provider.claims = { sub: `sub of ${claims.email}`, email_verified: true, ...claims };
  const start = await browser.post('/admin/auth/oidc');
  expect(start.status).toBe(200);
  const callback = await callbackOf(start.body.url as string);
  return browser.get(callback, { 'sec-fetch-site': 'cross-site' });
}

async function callbackOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: 'manual' });
  const location = new URL(headers.get('location')!);
  return location.pathname + location.search;
}

const browser = () => new StaffClient(stack.baseUrl);

describe('302 to the console, signed in', () => {
  it('a person who has been added as staff, and drops the password that was generated for them', async () => {
    const person = await addPerson(stack, 'account_manager', { oneTime: true });
    const tab = browser();
    const back = await signIn(tab, person);
    expect([back.status, back.headers.get('location')]).toEqual([302, '/console/']);
    expect((await tab.get('/admin/me')).body).toMatchObject({
      email: person.email,
      role: 'account_manager',
      must_change_password: false,
    });
    expect((await browser().signIn(person)).status).toBe(401);
  });

  it('a person whose address the provider writes in another way', async () => {
    const admin = await StaffClient.signedIn(stack, 'admin');
    const member = { email: 'Zoe@münchen.example', role: 'ops', reason: 'A test' };
    expect((await admin.post('/admin/staff', member)).status).toBe(201);
    const tab = browser();
    await signIn(tab, { email: 'zoe@mu\u0308nchen.example' });
    expect((await tab.get('/admin/me')).body).toMatchObject({ email: 'zoe@xn--mnchen-3ya.example' });
  });

  it('the same person again, by who they are at the provider and not by their address', async () => {
    const person = await addPerson(stack, 'support');
    await signIn(browser(), { ...person, sub: 'person-7' });
    const tab = browser();
    await signIn(tab, { sub: 'person-7', email: 'married@staff.test' });
    expect((await tab.get('/admin/me')).body).toMatchObject({ email: person.email });
  });

  it('a person with a second factor, who confirms with a code what needs a recent confirmation', async () => {
    const tab = await StaffClient.signedIn(stack, 'admin');
    const { secret } = await addSecondFactor(tab);
    await signIn(tab, tab.person);
    const add = () =>
      tab.post('/admin/staff', { email: 'by-provider@staff.test', role: 'ops', reason: 'A test' });
    expect((await add()).body.code).toBe('sign_in_confirmation_required');
    const confirmed = await tab.post('/admin/me/confirm-sign-in', { code: codeOf(secret, 1) });
    expect([confirmed.status, (await add()).status]).toEqual([204, 201]);
  });

  it('keeps no token of the provider', async () => {
    const rows = await stack.dataSource.query<{ kept: number }[]>(
      `SELECT count(*)::int AS kept FROM staff_auth.account
       WHERE num_nonnulls(access_token, refresh_token, id_token) > 0 OR provider_id = 'oidc' AND password IS NOT NULL`,
    );
    expect(rows[0]!.kept).toBe(0);
  });
});

describe('302 to the console, not signed in', () => {
  async function expectRefused(tab: StaffClient, back: { status: number; headers: Headers }): Promise<void> {
    expect(back.status).toBe(302);
    expect(back.headers.get('location')).toMatch(
      /^(http:\/\/127\.0\.0\.1:\d+)?\/(console|admin\/auth)\/.*error=/,
    );
    expect((await tab.get('/admin/me')).status).toBe(401);
  }

  it('an account at the provider alone does not make a person staff', async () => {
    const tab = browser();
    await expectRefused(tab, await signIn(tab, { email: 'stranger@staff.test' }));
    const rows = await stack.dataSource.query<unknown[]>(
      `SELECT 1 FROM staff_auth.member WHERE email = 'stranger@staff.test'`,
    );
    expect(rows).toEqual([]);
  });

  it.each<[string, Partial<Claims>]>([
    ['an address that is not verified', { email_verified: false }],
    ['a response for another client', { aud: 'another' }],
    ['a response of another issuer', { iss: 'https://other.test' }],
    ['a response to another request', { nonce: 'another' }],
  ])('%s', async (_, claims) => {
    const person = await addPerson(stack, 'admin');
    const tab = browser();
    await expectRefused(tab, await signIn(tab, { ...person, ...claims }));
  });

  it('a response signed with another key', async () => {
    provider.forges = true;
    const tab = browser();
    await expectRefused(tab, await signIn(tab, await addPerson(stack, 'admin')));
  });

  it('a disabled member', async () => {
    const person = await addPerson(stack, 'admin');
    await signIn(browser(), person);
    await stack.dataSource.query('UPDATE staff_auth.member SET disabled_at = now() WHERE id = $1', [
      person.id,
    ]);
    const tab = browser();
    await expectRefused(tab, await signIn(tab, person));
  });

  it('a way back that another browser has begun', async () => {
    const person = await addPerson(stack, 'admin');
    provider.claims = { sub: 'x', email: person.email, email_verified: true };
    const start = await browser().post('/admin/auth/oidc');
    const callback = await callbackOf(start.body.url as string);
    const tab = browser();
    await expectRefused(tab, await tab.get(callback));
  });

  it('a way back that was used before', async () => {
    const person = await addPerson(stack, 'admin');
    provider.claims = { sub: 'y', email: person.email, email_verified: true };
    const tab = browser();
    const start = await tab.post('/admin/auth/oidc');
    const callback = await callbackOf(start.body.url as string);
    const cookies = new Map(tab.cookies);
    expect((await tab.get(callback)).headers.get('location')).toBe('/console/');
    const again = browser();
    for (const [name, value] of cookies) again.cookies.set(name, value);
    await expectRefused(again, await again.get(callback));
  });
});

describe('a refusal at the provider', () => {
  it.each<[string, () => Promise<[Partial<Claims> & { email: string }, string]>]>([
    ['of a stranger', async () => [{ email: 'another-stranger@staff.test' }, 'not_staff']],
    [
      'of an address that is not verified',
      async () => [{ ...(await addPerson(stack, 'ops')), email_verified: undefined }, 'email_not_verified'],
    ],
  ])('%s says why to the person, and in the audit log', async (_, prepare) => {
    const [claims, code] = await prepare();
    const back = await signIn(browser(), { ...claims, sub: `sub of ${code}` });
    expect(back.headers.get('location')).toBe(`/console/?error=${code}`);
    const [event] = await stack.dataSource.query<{ after: object }[]>(
      `SELECT after FROM audit_event WHERE action = 'staff.sign_in_refused' AND after->>'cause' = $1`,
      [code],
    );
    expect(event!.after).toEqual({ cause: code, attempts: 1 });
  });

  it('that the provider itself has sent stands in the audit log too', async () => {
    const tab = browser();
    const start = await tab.post('/admin/auth/oidc');
    const callback = await callbackOf(start.body.url as string);
    const state = new URL(callback, 'http://here').searchParams.get('state')!;
    const back = await tab.get(`/admin/auth/callback/oidc?error=access_denied&state=${state}`);
    expect(back.headers.get('location')).toMatch(/error=access_denied/);
    const found = await stack.dataSource.query<unknown[]>(
      `SELECT 1 FROM audit_event WHERE action = 'staff.sign_in_refused' AND after->>'cause' = 'access_denied'`,
    );
    expect(found).toHaveLength(1);
  });

  it('is none for who goes back in the browser after signing in', async () => {
    const person = await addPerson(stack, 'ops');
    provider.claims = { sub: 'z', email: person.email, email_verified: true };
    const tab = browser();
    const start = await tab.post('/admin/auth/oidc');
    const callback = await callbackOf(start.body.url as string);
    await tab.get(callback);
    expect((await tab.get(callback)).headers.get('location')).toBe('/console/');
    expect((await tab.get('/admin/me')).status).toBe(200);
  });
});

describe('the provider signs people out', () => {
  const signOut = async (token: string, as = 'logout_token') =>
    fetch(`${stack.baseUrl}/admin/auth/backchannel-logout`, {
      method: 'POST',
      body: new URLSearchParams({ [as]: token }),
    });

  it('everywhere, at once', async () => {
    const person = await addPerson(stack, 'support');
    const tab = browser();
    await signIn(tab, { ...person, sub: 'leaves' });
    const response = await signOut(await provider.logoutToken({ sub: 'leaves' }));
    expect([response.status, await response.json()]).toEqual([200, { ended: 1 }]);
    expect((await tab.get('/admin/me')).status).toBe(401);
  });

  it.each<[string, object, { forges?: boolean }]>([
    ['of another client', { aud: 'another' }, {}],
    ['of another issuer', { iss: 'https://other.test' }, {}],
    ['that signs in', { events: undefined }, {}],
    ['with a nonce', { nonce: 'one' }, {}],
    ['without a person', { sub: undefined }, {}],
    ['signed with another key', {}, { forges: true }],
  ])('not by a token %s', async (_, claims, { forges = false }) => {
    const tab = browser();
    await signIn(tab, { ...(await addPerson(stack, 'support')), sub: 'stays' });
    provider.forges = forges;
    expect((await signOut(await provider.logoutToken({ sub: 'stays', ...claims }))).status).toBe(400);
    expect((await tab.get('/admin/me')).status).toBe(200);
  });

  it('not by what is no token', async () => {
    expect((await signOut('none')).status).toBe(400);
    expect((await signOut('none', 'token')).status).toBe(422);
  });

  it('and does not ask the provider again for each token that anyone sends', async () => {
    await signOut(await provider.logoutToken({ sub: 'unknown' }));
    const before = provider.reads;
    provider.forges = true;
    for (let i = 0; i < 20; i += 1) await signOut(await provider.logoutToken({ sub: 'unknown' }));
    expect(provider.reads - before).toBeLessThanOrEqual(1);
  });
});

it('says which ways there are to sign in', async () => {
  const { body } = await browser().get('/admin/auth/methods');
  expect(body).toEqual({ password: true, oidc: true, passkey_host: 'localhost' });
});

it('503 while the provider is down, and signing in again once it is back', async () => {
  const own = await IdentityProvider.start();
  const other = await Stack.start({
    worker: false,
    env: {
      OIDC_ISSUER: own.issuer,
      OIDC_CLIENT_ID: 'greenroom',
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
    },
  });
  try {
    const token = await own.logoutToken({ sub: 'unknown' });
    await own.stop();
    const body = new URLSearchParams({ logout_token: token });
    const logout = await fetch(`${other.baseUrl}/admin/auth/backchannel-logout`, { method: 'POST', body });
    expect(logout.status).toBe(503);
    const tab = new StaffClient(other.baseUrl);
    const refused = await tab.post('/admin/auth/oidc');
    expect([refused.status, refused.body.code]).toEqual([503, 'service_unavailable']);
    expect((await tab.signIn(await addPerson(other, 'ops'))).status).toBe(200);
    const back = await IdentityProvider.start(Number(new URL(own.issuer).port));
    expect((await tab.post('/admin/auth/oidc')).status).toBe(200);
    await back.stop();
  } finally {
    await other.stop();
  }
});
