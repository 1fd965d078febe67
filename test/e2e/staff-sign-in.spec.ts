import { getRequestStateAsyncLocalStorage } from '@better-auth/core/context';
import type Argon2 from '@node-rs/argon2';
import { AsyncLocalStorage } from 'node:async_hooks';
import { Client } from 'pg';
import { SessionCookies } from '../../apps/api/src/staff/session-cookies';
import { AuditedChanges } from '../../libs/administration/audit/audited-changes';
import { StaffService } from '../../libs/administration/staff/staff.service';
import { codeOf as authenticatorCode, secretOf } from '../support/authenticator';
import { clearUsedCodes } from '../support/second-factor';
import { Stack } from '../support/stack';
import { addPerson, StaffClient, type Person } from '../support/staff-client';

let stack: Stack;
let SESSION: string;
let DEVICE: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  const { sessionName, prefix } = stack.api.get(SessionCookies);
  [SESSION, DEVICE] = [sessionName, `${prefix}.device`];
});

afterAll(async () => {
  await stack.stop();
});

/** The module itself: an import of it would be a copy, which nothing calls. */
const argon2 = jest.requireActual<typeof Argon2>('@node-rs/argon2');
const client = () => new StaffClient(stack.baseUrl);

/** The code of a second factor, at the given time. */
const codeOf = (totpUri: string, atMs = Date.now()) =>
  authenticatorCode(secretOf(totpUri), Math.round((atMs - Date.now()) / 30_000));

async function forget(what: string): Promise<void> {
  await stack.dataSource.query(`DELETE FROM staff_auth.attempt_bucket WHERE key LIKE $1`, [`${what}:%`]);
}

afterEach(async () => {
  await stack.dataSource.query('DELETE FROM staff_auth.attempt_bucket');
});

describe('200', () => {
  it('signs in with e-mail address and password, in whatever case the address is typed', async () => {
    const { email, password } = await addPerson(stack, 'support');
    const browser = client();
    const response = await browser.signIn({ email: email.toUpperCase(), password });
    expect([response.status, response.body]).toEqual([200, { status: 'signed_in' }]);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const me = await browser.get('/admin/me');
    expect(me.body).toMatchObject({
      email,
      role: 'support',
      second_factor: false,
      must_change_password: false,
    });
    expect(me.body.permissions).toContain('voices.listen');
  });

  it('signs in with an address of an international domain, in every writing', async () => {
    const admin = await StaffClient.signedIn(stack, 'admin');
    const member = { email: 'ana@münchen.example', role: 'ops', reason: 'A test' };
    const { body } = await admin.post('/admin/staff', member);
    const password = String(body.one_time_password);
    for (const email of [
      'ana@münchen.example',
      'ANA@xn--mnchen-3ya.example',
      'ana@mu\u0308nchen.example',
      '\u200bana@münchen.example ',
    ])
      expect([email, (await client().signIn({ email, password })).status]).toEqual([email, 200]);
  });

  it('signs in with the longest password that is accepted, whatever its characters', async () => {
    const browser = await StaffClient.signedIn(stack, 'support');
    const { email, password } = browser.person;
    const long = Array.from({ length: 200 }, (_, i) => String.fromCodePoint(0x20000 + 7 * (i % 190))).join(
      '',
    );
    const body = { current_password: password, new_password: long };
    expect((await browser.post('/admin/me/password', body)).status).toBe(204);
    expect((await client().signIn({ email, password: long })).status).toBe(200);
    const setup = await browser.post('/admin/me/second-factor', { password: long });
    expect(setup.status).toBe(200);
  });

  it.each([
    ['with a space', (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['with a hyphen', (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ['with a zero-width space', (code: string) => `\u200b${code} `],
    ['in full width', (code: string) => code.replace(/\d/g, (d) => String.fromCodePoint(0xff10 + Number(d)))],
  ])('takes a code %s, at set-up, sign-in and confirmation', async (_, typed) => {
    const browser = await StaffClient.signedIn(stack, 'admin');
    const setup = await browser.post('/admin/me/second-factor', { password: browser.person.password });
    const uri = String(setup.body.totp_uri);
    const first = await browser.post('/admin/me/second-factor/confirm', { code: typed(codeOf(uri)) });
    expect(first.status).toBe(204);
    await clearUsedCodes(stack, browser.person.id);
    const second = client();
    await second.signIn(browser.person);
    expect((await second.post('/admin/auth/second-factor', { code: typed(codeOf(uri)) })).status).toBe(200);
    await clearUsedCodes(stack, browser.person.id);
    const confirmed = await second.post('/admin/me/confirm-sign-in', { code: typed(codeOf(uri)) });
    expect(confirmed.status).toBe(204);
  });

  it('leaves nothing switched on that would slow every other request down', async () => {
    const storage = (await getRequestStateAsyncLocalStorage()) as unknown as { enabled: boolean };
    const run = jest.spyOn(AsyncLocalStorage.prototype, 'run');
    await client().signIn(await addPerson(stack, 'ops'));
    expect(run.mock.contexts).toContain(storage);
    run.mockRestore();
    expect(storage.enabled).toBe(false);
  });

  it('gives a cookie that scripts and other sites cannot use, and no token in the body', async () => {
    const person = await addPerson(stack, 'ops');
    const response = await client().signIn(person);
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^greenroom-[0-9a-f]{8}\.session_token=[^;]{60,}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(response.text).toBe('{"status":"signed_in"}');
  });

  it('gives a new session at every sign-in and ends the one before', async () => {
    const browser = await StaffClient.signedIn(stack, 'support');
    const before = browser.cookies.get(SESSION)!;
    await browser.signIn(browser.person);
    expect(browser.cookies.get(SESSION)).not.toBe(before);
    expect((await client().get('/admin/me', { cookie: `${SESSION}=${before}` })).status).toBe(401);
    expect((await browser.get('/admin/me')).status).toBe(200);
  });

  it('requires the second factor once it is set up, and takes a backup code once', async () => {
    const { browser, totpUri, backupCodes } = await withSecondFactor();
    const second = client();
    expect((await second.signIn(browser.person)).body).toEqual({ status: 'second_factor_required' });
    expect((await second.get('/admin/me')).status).toBe(401);
    const code = codeOf(totpUri, Date.now() + 30_000);
    expect((await second.post('/admin/auth/second-factor', { code })).status).toBe(200);
    expect((await second.get('/admin/me')).body).toMatchObject({ second_factor: true });

    for (const expected of [200, 401]) {
      const third = client();
      await third.signIn(browser.person);
      const response = await third.post('/admin/auth/second-factor', { code: backupCodes[0] });
      expect(response.status).toBe(expected);
    }
  });
});

async function withSecondFactor() {
  const browser = await StaffClient.signedIn(stack, 'admin');
  const setup = await browser.post('/admin/me/second-factor', { password: browser.person.password });
  expect(setup.status).toBe(200);
  const { totp_uri: totpUri, backup_codes: backupCodes } = setup.body as {
    totp_uri: string;
    backup_codes: string[];
  };
  const before = browser.cookies.get(SESSION);
  const setUpCode = codeOf(totpUri);
  expect((await browser.post('/admin/me/second-factor/confirm', { code: setUpCode })).status).toBe(204);
  expect(browser.cookies.get(SESSION)).not.toBe(before);
  return { browser, totpUri, setUpCode, backupCodes };
}

describe('401', () => {
  it('one response for a wrong password, an unknown person and a disabled one', async () => {
    const known = await addPerson(stack, 'support');
    const disabled = await addPerson(stack, 'support');
    await disable(disabled);
    const responses = [
      await client().signIn({ ...known, password: 'not the password' }),
      await client().signIn({ email: 'nobody@staff.test', password: known.password }),
      await client().signIn({ email: 'not an address', password: known.password }),
      await client().signIn(disabled),
    ];
    for (const { status, body, headers } of responses) {
      expect([status, body.code]).toEqual([401, 'staff_sign_in_refused']);
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect(new Set(responses.map(({ body }) => body.detail)).size).toBe(1);
  });

  it.each([
    ['no cookie', ''],
    ['an invented token', `${SESSION}=${'a'.repeat(32)}.${Buffer.alloc(32).toString('base64')}`],
    ['a cookie that is not percent-encoded', `${SESSION}=%zz.%zz`],
  ])('without a session: %s', async (_, cookie) => {
    const { status, headers, body } = await client().get('/admin/me', { cookie });
    expect([status, headers.get('content-type'), body.code]).toEqual([
      401,
      'application/problem+json; charset=utf-8',
      'staff_sign_in_required',
    ]);
    expect(headers.get('www-authenticate')).toMatch(/^Session /);
  });

  it('the first refusal of a person from a network stands in the audit log, not every guess, and no typed text', async () => {
    const person = await addPerson(stack, 'support');
    const refused = async () => {
      const events = await stack.dataSource.query<{ target_id: string; text: string }[]>(
        `SELECT target_id, e::text AS text FROM audit_event e WHERE action = 'staff.sign_in_refused'
         AND address IS NOT NULL ORDER BY id`,
      );
      return events;
    };
    const before = (await refused()).length;
    for (const guess of ['a wrong guess', 'another guess'])
      expect((await client().signIn({ ...person, password: guess })).status).toBe(401);
    const typed = 'my-password-in-the-wrong-field@example.com';
    expect((await client().signIn({ ...person, email: typed })).status).toBe(401);
    const events = (await refused()).slice(before);
    expect(events.map((event) => event.target_id)).toEqual([person.id, 'unknown']);
    expect(events.map(({ text }) => text).join()).not.toMatch(/my-password|guess/);
    // Ten minutes later: the next event counts those that had none.
    await stack.dataSource.query(`DELETE FROM staff_auth.attempt_bucket WHERE starts_with(key, 'refused:')`);
    for (const guess of ['a third guess', 'a fourth guess'])
      expect((await client().signIn({ ...person, password: guess })).status).toBe(401);
    const attempts = await stack.dataSource.query<{ attempts: number }[]>(
      `SELECT (after->>'attempts')::int AS attempts FROM audit_event
       WHERE action = 'staff.sign_in_refused' AND target_id = $1 ORDER BY id`,
      [person.id],
    );
    expect(attempts.map((event) => event.attempts)).toEqual([1, 2]);
  });

  it('after signing out, however the cookie was kept', async () => {
    const browser = await StaffClient.signedIn(stack, 'ops');
    const cookie = browser.cookieHeader;
    expect((await browser.post('/admin/auth/sign-out')).status).toBe(204);
    expect([...browser.cookies.keys()]).toEqual([DEVICE]);
    expect((await client().get('/admin/me', { cookie })).status).toBe(401);
  });

  it.each([
    ['idle for 30 minutes', `updated_at = now() - interval '30 minutes 1 second'`, 401],
    ['idle for 29 minutes', `updated_at = now() - interval '29 minutes'`, 200],
    ['12 hours after the sign-in', `expires_at = now() - interval '1 second'`, 401],
  ])('%s', async (_, change, expected) => {
    const browser = await StaffClient.signedIn(stack, 'ops');
    await stack.dataSource.query(`UPDATE staff_auth.session SET ${change} WHERE member_id = $1`, [
      browser.person.id,
    ]);
    expect((await browser.get('/admin/me')).status).toBe(expected);
  });

  it('polling does not keep a session alive, and use does', async () => {
    const browser = await StaffClient.signedIn(stack, 'support');
    const ageOf = async () => {
      const [row] = await stack.dataSource.query<{ minutes: number }[]>(
        `SELECT round(extract(epoch FROM now() - updated_at) / 60)::int AS minutes FROM staff_auth.session WHERE member_id = $1`,
        [browser.person.id],
      );
      return row!.minutes;
    };
    await stack.dataSource.query(
      `UPDATE staff_auth.session SET updated_at = now() - interval '20 minutes' WHERE member_id = $1`,
      [browser.person.id],
    );
    expect((await browser.get('/admin/me', { 'x-greenroom-unattended': '1' })).status).toBe(200);
    expect(await ageOf()).toBe(20);
    expect((await browser.get('/admin/me')).status).toBe(200);
    expect(await ageOf()).toBe(0);
  });

  it('a change of a page that was drawn for somebody else is refused before it is made', async () => {
    const [ana, bo] = [
      await StaffClient.signedIn(stack, 'admin'),
      await StaffClient.signedIn(stack, 'admin'),
    ];
    const member = { email: `drawn-for-${process.pid}@staff.test`, role: 'ops', reason: 'A test' };
    const refused = await bo.post('/admin/staff', member, { 'x-greenroom-drawn-for': ana.person.id });
    expect([refused.status, refused.body.code]).toEqual([401, 'staff_session_of_another']);
    const own = await bo.post('/admin/staff', member, { 'x-greenroom-drawn-for': bo.person.id });
    expect(own.status).toBe(201);
  });

  it('a session never outlives 12 hours, however busy', async () => {
    const browser = await StaffClient.signedIn(stack, 'ops');
    await browser.get('/admin/me');
    const [row] = await stack.dataSource.query<{ hours: number }[]>(
      `SELECT extract(epoch FROM expires_at - created_at)::float8 / 3600 AS hours FROM staff_auth.session WHERE member_id = $1`,
      [browser.person.id],
    );
    expect(row!.hours).toBeCloseTo(12, 3);
  });

  it('all sessions of a person from the moment they are disabled', async () => {
    const admin = await StaffClient.signedIn(stack, 'admin');
    const person = await addPerson(stack, 'support');
    const browsers = [client(), client()];
    for (const browser of browsers) await browser.signIn(person);
    expect((await browsers[0]!.get('/admin/me')).status).toBe(200);
    const path = `/admin/staff/${person.id}`;
    const { headers } = await admin.get(path);
    const disabled = await admin.patch(
      path,
      { disabled: true, reason: 'Left the company' },
      { 'if-match': headers.get('etag')! },
    );
    expect(disabled.body).toMatchObject({ disabled: true });
    for (const browser of browsers) expect((await browser.get('/admin/me')).status).toBe(401);
    expect((await browsers[0]!.signIn(person)).status).toBe(401);
  });

  it('a code of the second factor works once, even for two sign-ins at the same time', async () => {
    const { browser, totpUri } = await withSecondFactor();
    const challengers = [client(), client(), client()];
    for (const challenger of challengers) await challenger.signIn(browser.person);
    const code = codeOf(totpUri, Date.now() + 30_000);
    const responses = await Promise.all(
      challengers.map((challenger) => challenger.post('/admin/auth/second-factor', { code })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const signedIn = await Promise.all(challengers.map(async (c) => (await c.get('/admin/me')).status));
    expect(signedIn.sort()).toEqual([200, 401, 401]);
  });

  it('the code that set the second factor up is not accepted at a sign-in', async () => {
    const { browser, setUpCode } = await withSecondFactor();
    const second = client();
    await second.signIn(browser.person);
    const response = await second.post('/admin/auth/second-factor', { code: setUpCode });
    expect([response.status, response.body.code]).toEqual([401, 'second_factor_refused']);
    expect((await second.get('/admin/me')).status).toBe(401);
  });

  it('nor does an older code, once a newer one was used', async () => {
    const { browser, totpUri } = await withSecondFactor();
    for (const [code, expected] of [
      [codeOf(totpUri, Date.now() + 30_000), 200],
      [codeOf(totpUri), 401],
    ] as const) {
      const tab = client();
      await tab.signIn(browser.person);
      expect((await tab.post('/admin/auth/second-factor', { code })).status).toBe(expected);
    }
  });

  it('costs a known, an unknown, a disabled and a passwordless person the same queries and one hash each', async () => {
    const known = await addPerson(stack, 'support');
    const disabled = await addPerson(stack, 'support');
    await disable(disabled);
    const passwordless = await addPerson(stack, 'support');
    await stack.dataSource.query('DELETE FROM staff_auth.account WHERE member_id = $1', [passwordless.id]);
    const costs = [];
    for (const email of [known.email, disabled.email, passwordless.email, 'a@b.test', 'not an address']) {
      await forget('');
      const queries = jest.spyOn(Client.prototype, 'query');
      const hashes = [jest.spyOn(argon2, 'verify'), jest.spyOn(argon2, 'hash')];
      const { status, text } = await client().signIn({ email, password: 'a guess' });
      const sql = queries.mock.calls
        .map(([query]): unknown => (typeof query === 'string' ? query : (query as { text: string }).text))
        .filter((text) => String(text).includes('staff_auth'));
      costs.push({
        status,
        text: text.replace(/"request_id":"[^"]*"/, ''),
        sql,
        hashes: hashes.reduce((sum, work) => sum + work.mock.calls.length, 0),
      });
      queries.mockRestore();
      for (const work of hashes) work.mockRestore();
    }
    expect(costs[0]).toMatchObject({ status: 401, hashes: 1 });
    expect(costs[0]!.sql.length).toBeGreaterThan(3);
    for (const cost of costs) expect(cost).toEqual(costs[0]);
  });

  it('a token from the database does not open a session', async () => {
    const browser = await StaffClient.signedIn(stack, 'ops');
    const cookie = decodeURIComponent(browser.cookies.get(SESSION)!);
    const [row] = await stack.dataSource.query<{ token: string }[]>(
      'SELECT token FROM staff_auth.session WHERE member_id = $1',
      [browser.person.id],
    );
    expect(cookie).not.toContain(row!.token);
    const signedWithOurKey = stack.api.get(SessionCookies).withStoredSession(browser.cookieHeader);
    expect(signedWithOurKey).toContain(row!.token);
    expect((await client().get('/admin/me', { cookie: signedWithOurKey })).status).toBe(401);
  });

  it('a code without the password before it is refused', async () => {
    const { totpUri } = await withSecondFactor();
    const response = await client().post('/admin/auth/second-factor', { code: codeOf(totpUri) });
    expect([response.status, response.body.code]).toEqual([401, 'second_factor_refused']);
  });

  it('a one-time password that was not used in time', async () => {
    const person = await addPerson(stack, 'support', { oneTime: true });
    await stack.dataSource.query(
      `UPDATE staff_auth.member SET one_time_password_until = now() - interval '1 second' WHERE id = $1`,
      [person.id],
    );
    const browser = client();
    expect((await browser.signIn(person)).status).toBe(401);
    expect((await browser.get('/admin/me')).status).toBe(401);
  });
});

async function disable({ id }: Person): Promise<void> {
  await stack.dataSource.query('UPDATE staff_auth.member SET disabled_at = now() WHERE id = $1', [id]);
}

describe('403', () => {
  it('nothing but changing it goes with a one-time password', async () => {
    const person = await addPerson(stack, 'admin', { oneTime: true });
    const browser = client();
    expect((await browser.signIn(person)).status).toBe(200);
    const refused = await browser.get('/admin/staff');
    expect([refused.status, refused.body.code]).toEqual([403, 'password_change_required']);
    expect((await browser.get('/admin/me')).body).toMatchObject({ must_change_password: true });
    const before = browser.cookies.get(SESSION);
    const changed = await browser.post('/admin/me/password', {
      current_password: person.password,
      new_password: 'three lamps over the stage',
    });
    expect(changed.status).toBe(204);
    expect(browser.cookies.get(SESSION)).not.toBe(before);
    expect((await browser.get('/admin/staff')).status).toBe(200);
    expect((await client().get('/admin/me', { cookie: `${SESSION}=${before}` })).status).toBe(401);
    expect((await client().signIn(person)).status).toBe(401);
    expect((await client().signIn({ ...person, password: 'three lamps over the stage' })).status).toBe(200);
  });

  it('the first admin changes the password that the first start has chosen, however late', async () => {
    const { result: first } = await stack.api.get(AuditedChanges).make(async (em) => {
      await em.query('DELETE FROM staff_auth.member');
      return stack.api.get(StaffService).addingFirstAdmin('first@staff.test')(em);
    });
    const browser = client();
    expect((await browser.signIn(first!)).status).toBe(200);
    expect((await browser.get('/admin/me')).body.must_change_password).toBe(true);
    for (const path of ['/admin/staff', '/admin/voices', '/admin/queues', '/admin/audit-log']) {
      const { status, body } = await browser.get(path);
      expect([path, status, body.code]).toEqual([path, 403, 'password_change_required']);
    }
    const change = { current_password: first!.password, new_password: 'three lamps over the stage' };
    expect((await browser.post('/admin/me/password', change)).status).toBe(204);
    expect((await browser.get('/admin/staff')).status).toBe(200);
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour site', { 'sec-fetch-site': 'same-site' }],
    ['another origin, from an old browser', { 'sec-fetch-site': '', origin: 'https://evil.test' }],
    ['an origin without a name', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ])('a change that comes from %s, also before signing in', async (_, headers) => {
    const browser = await StaffClient.signedIn(stack, 'ops');
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    for (const path of ['/admin/auth/sign-out', '/admin/auth/sign-in', '/%61dmin/auth/sign-out']) {
      const response = await rawPost(path, { cookie: browser.cookieHeader, ...sent });
      expect([path, response.status, response.body.code]).toEqual([path, 403, 'cross_site_request']);
    }
    expect((await browser.get('/admin/me')).status).toBe(200);
  });

  it('tools without a browser need neither header', async () => {
    const browser = await StaffClient.signedIn(stack, 'ops');
    expect((await rawPost('/admin/auth/sign-out', { cookie: browser.cookieHeader })).status).toBe(204);
  });
});

async function rawPost(path: string, headers: Record<string, string>) {
  const { request } = await import('node:http');
  return new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
    const message = request(stack.baseUrl + path, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, body: text ? JSON.parse(text) : {} }));
    });
    message.on('error', reject).end();
  });
}

describe('415', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a form cannot sign anybody in: %s',
    async (type) => {
      const { status, body } = await client().post('/admin/auth/sign-in', {}, { 'content-type': type });
      expect([status, body.code]).toEqual([415, 'invalid_content_type']);
    },
  );
});

describe('422', () => {
  it.each([
    ['short', 'eleven char', /shorter than 12/],
    ['guessed first', 'Password-1234', /first that are guessed/],
    ['one character', 'aaaaaaaaaaaaaaaa', /first that are guessed/],
    ['among those used most', 'sonyericsson', /first that are guessed/],
    ['a common one with digits', 'Michelle-2026', /first that are guessed/],
    ['derived from their name', 'Support-Staff-26', /derived from your name/],
    ['too long', 'x1y2'.repeat(60), /longer than 200/],
  ])('a new password that is %s, without sending it back', async (_, newPassword, expected) => {
    const browser = await StaffClient.signedIn(stack, 'support');
    const { status, body, text } = await browser.post('/admin/me/password', {
      current_password: browser.person.password,
      new_password: newPassword,
    });
    expect(status).toBe(422);
    const [part] = body.errors as { pointer: string; message: string; accepted: string }[];
    expect(part).toMatchObject({ pointer: '#/new_password', accepted: expect.stringMatching(/^12 to 200/) });
    expect(part!.message).toMatch(expected);
    expect(text).not.toContain(newPassword);
    expect(text).not.toContain(browser.person.password);
  });

  it('a current password that is not right', async () => {
    const browser = await StaffClient.signedIn(stack, 'support');
    const { status, body } = await browser.post('/admin/me/password', {
      current_password: 'no',
      new_password: 'three lamps over the stage',
    });
    expect([status, body.errors]).toEqual([
      422,
      [{ pointer: '#/current_password', accepted: 'your password', message: 'is not your password' }],
    ]);
    expect((await browser.get('/admin/me')).status).toBe(200);
  });
});

describe('429', () => {
  /** As if the next guesses came from other addresses. */
  const fromElsewhere = () => forget('network');

  it('slows guessing down for strangers, not for the person at their own address', async () => {
    const person = await addPerson(stack, 'support');
    expect((await client().signIn(person)).status).toBe(200);
    await rename('familiar:', 'hidden:');
    const statuses = [];
    for (let i = 0; i < 12; i += 1) {
      await fromElsewhere();
      statuses.push((await client().signIn({ ...person, password: `guess number ${i}` })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const refused = await client().signIn(person);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await rename('hidden:', 'familiar:');
    expect((await client().signIn(person)).status).toBe(200);
  });

  it('strangers do not keep a person out of a browser they have signed in with, even from the same address', async () => {
    const person = await addPerson(stack, 'support');
    const own = client();
    await own.signIn(person);
    await own.post('/admin/auth/sign-out');
    await forget('familiar');
    for (let i = 0; i < 22; i += 1) await client().signIn({ ...person, password: `guess number ${i}` });
    expect((await client().signIn(person)).status).toBe(429);
    expect((await own.signIn(person)).status).toBe(200);
    const guesses = [];
    for (let i = 0; i < 11; i += 1)
      guesses.push((await own.signIn({ ...person, password: `guess ${i}` })).status);
    expect(guesses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  it('the cookie of a browser counts for its own person, and only as we have signed it', async () => {
    const [person, other] = [await addPerson(stack, 'support'), await addPerson(stack, 'support')];
    const own = client();
    await own.signIn(other);
    const device = own.cookies.get(DEVICE)!;
    expect(device).toMatch(/^[\w-]{16}\.[0-9a-f]{32}\.[\w-]{43}$/);
    for (let i = 0; i < 10; i += 1) {
      await fromElsewhere();
      await client().signIn({ ...person, password: `guess number ${i}` });
    }
    await fromElsewhere();
    expect((await own.signIn(person)).status).toBe(429);
    const forged = client();
    forged.cookies.set(
      DEVICE,
      device.replace(/^\w/, (letter) => (letter === 'a' ? 'b' : 'a')),
    );
    expect((await forged.signIn({ ...person })).status).toBe(429);
  });

  it('slows one address down, for every person it tries', async () => {
    const startedAtMs = performance.now();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        client().signIn({ email: `someone-${i}@staff.test`, password: 'a guess' }),
      ),
    );
    const tried = responses.filter(({ status }) => status === 401).length;
    expect(tried).toBeGreaterThanOrEqual(20);
    // One more comes back every six seconds.
    expect(tried).toBeLessThanOrEqual(20 + (performance.now() - startedAtMs) / 6_000);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(40 - tried);
  });

  it('50 guesses at once are as many as 10 one after the other', async () => {
    const person = await addPerson(stack, 'support');
    const startedAtMs = performance.now();
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => client().signIn({ ...person, password: `guess ${i}` })),
    );
    const tried = responses.filter(({ status }) => status === 401).length;
    expect(tried).toBeGreaterThanOrEqual(10);
    expect(tried).toBeLessThanOrEqual(10 + (performance.now() - startedAtMs) / 30_000);
  });
});

async function rename(from: string, to: string): Promise<void> {
  await stack.dataSource.query(
    `UPDATE staff_auth.attempt_bucket SET key = $2 || substr(key, length($1) + 1) WHERE starts_with(key, $1)`,
    [from, to],
  );
}
