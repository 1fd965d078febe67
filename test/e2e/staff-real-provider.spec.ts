import { Launched } from '../launcher/launched';
import { CLIENT_SECRET, type Claims } from '../support/identity-provider';
import { ProviderTab, RealProvider } from '../support/real-provider';
import { freePort } from '../support/redis-server';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let provider: RealProvider;
let stack: Stack;
const said: string[] = [];
const say = (line: string) => void said.push(line);

beforeAll(async () => {
  provider = await RealProvider.start();
  const port = String(await freePort());
  stack = await Stack.start({
    worker: false,
    env: {
      PORT: port,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'greenroom',
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLE_MAP: 'admins=admin;ops-team=ops;support-team=support',
      OIDC_CREATE_MEMBERS: 'on',
      PASSWORD_SIGN_IN: 'off',
    },
  });
  await provider.register(stack.baseUrl, `http://127.0.0.1:${port}`);
});

beforeEach(() => stack.dataSource.query('DELETE FROM staff_auth.attempt_bucket'));

afterAll(async () => {
  process.stdout.write(`${said.join('\n')}\n`);
  await stack.stop();
  await provider.stop();
});

const person = (name: string, groups: string[]): Omit<Claims, 'sub'> => ({
  email: `${name}@staff.test`,
  email_verified: true,
  name,
  groups,
});

interface SignedIn {
  staff: StaffClient;
  atProvider: ProviderTab;
  location: string | null;
}

/** The whole way: to the provider, its pages, and back. */
async function signIn(name: string, atProvider = new ProviderTab(provider, say)): Promise<SignedIn> {
  const staff = new StaffClient(stack.baseUrl);
  const start = await staff.post('/admin/auth/oidc');
  say(`POST /admin/auth/oidc → ${start.status}`);
  const { pathname, search } = await atProvider.signIn(String(start.body.url), name);
  const back = await staff.get(pathname + search, { 'sec-fetch-site': 'cross-site' });
  const location = back.headers.get('location');
  say(`GET ${pathname}?code=…&state=…&iss=… → ${back.status} ${location}`);
  return { staff, atProvider, location };
}

async function me(staff: StaffClient): Promise<[number, unknown]> {
  const { status, body } = await staff.get('/admin/me');
  say(`GET /admin/me → ${status} ${String(body.role ?? body.code)}`);
  return [status, body.role ?? body.code];
}

it('makes who has a mapped group a member at the first sign-in, reads the role again at the next, and refuses who has none left', async () => {
  await provider.setPeople({ nia: person('nia', ['others', 'ops-team']) });
  const first = await signIn('nia');
  expect([first.location, await me(first.staff)]).toEqual(['/console/', [200, 'ops']]);
  await provider.setPeople({ nia: person('nia', ['support-team']) });
  const second = await signIn('nia', first.atProvider);
  expect(await me(second.staff)).toEqual([200, 'support']);
  // The role is that of the member, in each of their sessions.
  expect(await me(first.staff)).toEqual([200, 'support']);
  await provider.setPeople({ nia: person('nia', ['others']) });
  expect((await signIn('nia', first.atProvider)).location).toBe('/console/?error=no_role');
  expect(await me(second.staff)).toEqual([401, 'staff_sign_in_required']);
  const events = await stack.dataSource.query<{ action: string; actor: string }[]>(
    `SELECT action, actor_name AS actor FROM audit_event
     WHERE target_id = (SELECT id::text FROM staff_auth.member WHERE email = 'nia@staff.test')
       AND actor_name = 'identity provider' ORDER BY id`,
  );
  expect(events).toEqual(
    ['staff.added', 'staff.changed', 'staff.sessions_ended'].map((action) => ({
      action,
      actor: 'identity provider',
    })),
  );
});

it('ends the sessions of a person who signs out at the provider', async () => {
  await provider.setPeople({ ola: person('ola', ['admins']) });
  const { staff, atProvider } = await signIn('ola');
  expect(await me(staff)).toEqual([200, 'admin']);
  const signedOutAt = performance.now();
  await atProvider.signOut();
  expect(await me(staff)).toEqual([401, 'staff_sign_in_required']);
  say(`401 after ${((performance.now() - signedOutAt) / 1_000).toFixed(3)} s`);
});

it('without passwords, one for an emergency from the command line signs in', async () => {
  await provider.setPeople({ eve: person('eve', ['admins']) });
  await signIn('eve');
  const email = 'eve@staff.test';
  const { databaseUrl, appSecret } = stack.config;
  const command = Launched.greenroom(
    ['staff', 'emergency', '--email', email, '--reason', 'the provider is away'],
    { DATABASE_URL: databaseUrl!, APP_SECRET: appSecret! },
  );
  expect(await command.ended()).toBe(0);
  const password = /^password +(\S+)/m.exec(command.output)![1]!;
  const staff = new StaffClient(stack.baseUrl);
  const { status } = await staff.signIn({ email, password });
  say(`greenroom staff emergency → 0; POST /admin/auth/sign-in → ${status}`);
  expect([status, (await staff.get('/admin/me')).body.must_change_password]).toEqual([200, true]);
  const other = new StaffClient(stack.baseUrl);
  expect((await other.signIn({ email, password: 'another' })).status).toBe(401);
});
