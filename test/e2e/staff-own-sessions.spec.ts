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
