import { ageConfirmations } from '../support/second-factor';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { Stack } from '../support/stack';
import { addPerson, StaffClient, type Person } from '../support/staff-client';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

interface Session {
  id: string;
  current: boolean;
  user_agent: string | null;
}

async function signIn(person: Person, userAgent = 'a test'): Promise<StaffClient> {
  const browser = new StaffClient(stack.baseUrl);
  const { email, password } = person;
  const { status } = await browser.post(
    '/admin/auth/sign-in',
    { email, password },
    { 'user-agent': userAgent },
  );
  expect(status).toBe(200);
  return browser;
}

async function sessionsOf(browser: StaffClient): Promise<Session[]> {
  const { status, body } = await browser.get('/admin/me/sessions');
  expect(status).toBe(200);
  return body.items as Session[];
}

const isSignedIn = async (browser: StaffClient) => (await browser.get('/admin/me')).status === 200;

async function eventsOf(person: Person): Promise<object[]> {
  const admin = await StaffClient.signedIn(stack, 'admin');
  return (await admin.get(`/admin/audit-log?target=${person.id}`)).body.items as object[];
}

describe('200', () => {
  it('lists the live sessions of the member who asks, with browser, address and times, and no token', async () => {
    const person = await addPerson(stack, 'support');
    const laptop = await signIn(person, 'laptop/1');
    const phone = await signIn(person, 'phone/2');
    const idle = await signIn(person, 'idle/3');
    const [gone] = (await sessionsOf(idle)).filter(({ current }) => current);
    await stack.dataSource.query(
      `UPDATE staff_auth.session SET updated_at = now() - interval '31 minutes' WHERE id = $1`,
      [gone!.id],
    );
    const { text } = await laptop.get('/admin/me/sessions');
    const listed = await sessionsOf(laptop);
    expect(listed.map(({ user_agent, current }) => [user_agent, current]).sort()).toEqual([
      ['laptop/1', true],
      ['phone/2', false],
    ]);
    expect(listed[0]).toEqual({
      id: expect.any(String),
      current: expect.any(Boolean),
      user_agent: expect.any(String),
      address: '127.0.0.1',
      created_at: expect.stringMatching(/Z$/),
      last_seen_at: expect.stringMatching(/Z$/),
    });
    expect(text).not.toMatch(/token/);
    expect((await sessionsOf(phone)).find(({ current }) => current)?.user_agent).toBe('phone/2');
  });

  it('ends the others, keeps the one that asks, and writes one event', async () => {
    const person = await addPerson(stack, 'ops');
    const [here, there, elsewhere] = [await signIn(person), await signIn(person), await signIn(person)];
    expect((await here.post('/admin/me/end-other-sessions')).body).toEqual({ ended: 2 });
    expect(await Promise.all([here, there, elsewhere].map(isSignedIn))).toEqual([true, false, false]);
    expect((await here.post('/admin/me/end-other-sessions')).body).toEqual({ ended: 0 });
    const ended = (await eventsOf(person)).filter(
      (event) => (event as { action: string }).action === 'staff.sessions_ended',
    );
    expect(ended).toEqual([expect.objectContaining({ after: { ended: 2 } })]);
  });
});

describe('204', () => {
  it('ends one of them from the next request on, and writes an event', async () => {
    const person = await addPerson(stack, 'account_manager');
    const [here, there] = [await signIn(person), await signIn(person)];
    const other = (await sessionsOf(here)).find(({ current }) => !current)!;
    expect((await here.post(`/admin/me/sessions/${other.id}/end`)).status).toBe(204);
    expect(await isSignedIn(there)).toBe(false);
    expect(await isSignedIn(here)).toBe(true);
    expect((await eventsOf(person))[0]).toMatchObject({
      action: 'staff.session_ended',
      after: { session_id: other.id },
    });
  });
});

describe('401', () => {
  it.each([
    ['GET', '/admin/me/sessions'],
    ['POST', '/admin/me/end-other-sessions'],
  ])('%s %s without a session', async (method, path) => {
    expect((await new StaffClient(stack.baseUrl).send(method, path)).status).toBe(401);
  });
});

describe('404', () => {
  it('a session of another member, one that has ended, and what is no id', async () => {
    const [browser, stranger] = [
      await StaffClient.signedIn(stack, 'admin'),
      await StaffClient.signedIn(stack, 'support'),
    ];
    const [theirs] = await sessionsOf(stranger);
    for (const id of [theirs!.id, '8c1f1b1e-0000-4000-8000-000000000000', 'not-an-id']) {
      const { status, body } = await browser.post(`/admin/me/sessions/${id}/end`);
      expect([status, body.code]).toEqual([404, 'session_not_found']);
    }
    expect(await isSignedIn(stranger)).toBe(true);
  });
});

describe('passkeys', () => {
  /** Where browsers offer passkeys without TLS. */
  const origin = () => stack.baseUrl.replace('127.0.0.1', 'localhost');

  async function signedIn(role: 'admin' | 'support' | 'ops'): Promise<StaffClient> {
    const browser = new StaffClient(origin(), { origin: origin() });
    browser.person = await addPerson(stack, role);
    await browser.signIn(browser.person);
    return browser;
  }

  async function add(browser: StaffClient, name = 'A laptop', how?: { verified: boolean }) {
    const authenticator = new SoftwareAuthenticator(origin());
    const { body } = await browser.post('/admin/me/passkeys/options');
    const credential = authenticator.create(body.options as { challenge: string }, how);
    const added = await browser.post('/admin/me/passkeys', { name, credential });
    return { authenticator, added, id: String(added.body.id), credential };
  }

  /** Uses a passkey at one of the places that take one. */
  async function use(
    browser: StaffClient,
    authenticator: SoftwareAuthenticator,
    how: { verified?: boolean; origin?: string; path?: string } = {},
  ) {
    const { body } = await browser.post('/admin/auth/passkey/options');
    const credential = authenticator.get(body.options as { challenge: string }, how);
    return { ...(await browser.post(how.path ?? '/admin/auth/passkey', { credential })), credential };
  }

  const visitor = () => new StaffClient(origin(), { origin: origin() });
  const requireOfOps = (required: boolean) =>
    stack.dataSource.query(
      `UPDATE staff_auth.role_policy SET second_factor_required = $1 WHERE role = 'ops'`,
      [required],
    );

  it('is added, named, used to sign in and removed, each with an event', async () => {
    const browser = await signedIn('support');
    const { authenticator, added, id } = await add(browser);
    expect([added.status, added.body]).toEqual([
      201,
      {
        id,
        name: 'A laptop',
        kept_in: null,
        synced: false,
        created_at: expect.stringMatching(/Z$/),
        last_used_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await browser.patch(`/admin/me/passkeys/${id}`, { name: 'The blue one' })).status).toBe(200);
    const elsewhere = visitor();
    expect((await use(elsewhere, authenticator)).status).toBe(200);
    expect((await elsewhere.get('/admin/me')).body).toMatchObject({
      id: browser.person.id,
      passkeys: 1,
      passkey_used: true,
    });
    expect((await elsewhere.send('DELETE', `/admin/me/passkeys/${id}`)).status).toBe(204);
    expect((await browser.get('/admin/me/passkeys')).body).toEqual({ items: [] });
    expect((await use(visitor(), authenticator)).body.code).toBe('passkey_refused');
    const events = (await eventsOf(browser.person)) as { action: string; before: object; after: object }[];
    const passkeys = events.filter(({ action }) => action.includes('passkey'));
    expect(passkeys.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['staff.passkey_removed', { passkey_id: id, name: 'The blue one' }, null],
      ['staff.passkey_renamed', { name: 'A laptop' }, { passkey_id: id, name: 'The blue one' }],
      ['staff.passkey_added', null, { passkey_id: id, name: 'A laptop', synced: false }],
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({
        action: 'staff.signed_in',
        after: { method: 'passkey', session_id: expect.any(String) },
      }),
    );
  });

  it('is refused unless its device has checked the user, for this origin and challenge, once, by its key', async () => {
    const browser = await signedIn('support');
    const unverified = await add(browser, 'A key without a PIN', { verified: false });
    expect([unverified.added.status, unverified.added.body.code]).toEqual([401, 'passkey_refused']);
    const { authenticator, credential, added } = await add(browser);
    expect(added.status).toBe(201);
    const replayed = await browser.post('/admin/me/passkeys', { name: 'Again', credential });
    expect([replayed.status, replayed.body.code]).toEqual([401, 'passkey_refused']);

    const refused = async (how: Parameters<typeof use>[2], used = authenticator) => {
      const elsewhere = visitor();
      const { status, body } = await use(elsewhere, used, how);
      expect([status, body.code]).toEqual([401, 'passkey_refused']);
      expect(await isSignedIn(elsewhere)).toBe(false);
    };
    await refused({ verified: false });
    await refused({ origin: 'https://greenroom.example.net' });
    await refused({}, new SoftwareAuthenticator(origin()));
    const elsewhere = visitor();
    const first = await use(elsewhere, authenticator);
    expect(first.status).toBe(200);
    const again = await elsewhere.post('/admin/auth/passkey', { credential: first.credential });
    expect([again.status, again.body.code]).toEqual([401, 'passkey_refused']);

    await stack.dataSource.query('UPDATE staff_auth.member SET disabled_at = now() WHERE id = $1', [
      browser.person.id,
    ]);
    await refused({});
  });

  it('confirms an old sign-in of its owner, and of no other', async () => {
    const [browser, other] = [await signedIn('support'), await signedIn('support')];
    const { authenticator, id } = await add(browser);
    const theirs = await add(other);
    await ageConfirmations(stack, browser.person.id, 11);
    const remove = () => browser.send('DELETE', `/admin/me/passkeys/${id}`);
    expect((await remove()).body).toMatchObject({
      code: 'sign_in_confirmation_required',
      detail: expect.stringContaining('your passkey or your password'),
    });
    const path = '/admin/me/confirm-sign-in/passkey';
    expect((await use(browser, theirs.authenticator, { path })).body.code).toBe('passkey_refused');
    expect((await remove()).body.code).toBe('sign_in_confirmation_required');
    expect((await use(browser, authenticator, { path })).status).toBe(204);
    expect((await sessionsOf(browser)).length).toBe(1);
    expect((await remove()).status).toBe(204);
    expect((await browser.patch(`/admin/me/passkeys/${theirs.id}`, { name: 'Mine' })).body.code).toBe(
      'passkey_not_found',
    );
  });

  it('is the second factor that a role requires, in the sessions in which it was used', async () => {
    const browser = await signedIn('ops');
    const { authenticator, id } = await add(browser);
    await requireOfOps(true);
    try {
      expect((await browser.get('/admin/queues')).status).toBe(200);
      expect((await browser.send('DELETE', `/admin/me/passkeys/${id}`)).body.code).toBe(
        'second_factor_required_by_role',
      );
      // The password alone opens nothing, and sets up no other factor.
      const stolen = visitor();
      await stolen.signIn(browser.person);
      const { password } = browser.person;
      for (const refusal of [
        await stolen.get('/admin/queues'),
        await stolen.get('/admin/me/passkeys'),
        await stolen.post('/admin/me/passkeys/options'),
        await stolen.post('/admin/me/second-factor', { password }),
        await stolen.post('/admin/me/password', {
          current_password: password,
          new_password: 'a-password-of-the-thief-4711',
        }),
      ])
        expect([refusal.status, refusal.body.code]).toEqual([403, 'passkey_required']);
      const path = '/admin/me/confirm-sign-in/passkey';
      expect((await use(stolen, authenticator, { path })).status).toBe(204);
      expect((await stolen.get('/admin/queues')).status).toBe(200);

      const admin = await StaffClient.signedIn(stack, 'admin');
      const { headers } = await admin.get(`/admin/staff/${browser.person.id}`);
      const reset = await admin.post(
        `/admin/staff/${browser.person.id}/reset-second-factor`,
        { reason: 'Lost the laptop' },
        { 'if-match': headers.get('etag') ?? '' },
      );
      expect(reset.body).toMatchObject({ passkeys: 0 });
      expect(await isSignedIn(stolen)).toBe(false);
      await stolen.signIn(browser.person);
      expect((await stolen.get('/admin/queues')).body.code).toBe('second_factor_setup_required');
      expect((await add(stolen)).added.status).toBe(201);
      expect((await stolen.get('/admin/queues')).status).toBe(200);
    } finally {
      await requireOfOps(false);
    }
  });

  it('a member has at most twenty, and a browser a bounded number of attempts', async () => {
    const browser = await signedIn('support');
    await stack.dataSource.query(
      `INSERT INTO staff_auth.passkey (name, public_key, member_id, credential_id, counter, device_type, backed_up)
       SELECT 'one', '', $1, gen_random_uuid(), 0, 'singleDevice', false FROM generate_series(1, 19)`,
      [browser.person.id],
    );
    expect((await add(browser)).added.status).toBe(201);
    expect((await browser.post('/admin/me/passkeys/options')).body.code).toBe('passkey_limit_reached');
    const statuses = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await browser.post('/admin/auth/passkey/options')).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  });
});
