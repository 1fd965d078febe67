import { CLIENT_SECRET, IdentityProvider, type Claims } from '../support/identity-provider';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';

const ROLE_MAP = 'ops-team=ops';
const BY_GROUPS = { OIDC_ROLE_CLAIM: 'groups', OIDC_ROLE_MAP: ROLE_MAP, OIDC_CREATE_MEMBERS: 'on' };
const TRUSTED = { OIDC_EMAIL_VERIFIED: 'always' };
const [BASIC, POST] = ['client_secret_basic', 'client_secret_post'] as const;

interface Profile {
  /** Of a person in `ops-team`, beside `sub` and `email`. */
  claims: Partial<Claims>;
  /** How its token endpoint knows clients; undefined where its configuration does not say. */
  tokenAuth: (typeof BASIC | typeof POST)[] | undefined;
  /** It sends them at its userinfo address, not in the token. */
  apart?: boolean;
  /** Settings with which the person becomes a member with the role `ops`. */
  env: Record<string, string>;
  /** What the person is told without them. */
  refusedWith: string;
}

/** Providers as they are set up by default, with what docs/operations.md says to add there. */
const PROFILES: Record<string, Profile> = {
  Entra: {
    claims: { groups: ['0b5d', 'ops-team'] },
    tokenAuth: [POST],
    env: { ...BY_GROUPS, ...TRUSTED },
    refusedWith: 'email_not_verified',
  },
  Okta: {
    claims: { email_verified: true, groups: ['Everyone', 'ops-team'] },
    tokenAuth: undefined,
    env: BY_GROUPS,
    refusedWith: 'not_staff',
  },
  Authentik: {
    claims: { email_verified: false, groups: ['ops-team'] },
    tokenAuth: [POST, BASIC],
    env: { ...BY_GROUPS, ...TRUSTED },
    refusedWith: 'email_not_verified',
  },
  Authelia: {
    claims: { email_verified: true, groups: ['ops-team'] },
    tokenAuth: [BASIC],
    apart: true,
    env: BY_GROUPS,
    refusedWith: 'not_staff',
  },
  // It has no groups: people are added first.
  Google: {
    claims: { email_verified: true, hd: 'staff.test' },
    tokenAuth: [POST, BASIC],
    env: {},
    refusedWith: 'not_staff',
  },
  Keycloak: {
    claims: { email_verified: true, realm_access: { roles: ['offline_access', 'ops-team'] } },
    tokenAuth: [BASIC, POST],
    env: { ...BY_GROUPS, OIDC_ROLE_CLAIM: 'realm_access.roles' },
    refusedWith: 'not_staff',
  },
  Zitadel: {
    claims: {
      email_verified: true,
      'urn:zitadel:iam:org:project:roles': { 'ops-team': { '2931': 'staff.zitadel.cloud' } },
    },
    tokenAuth: [BASIC, POST],
    apart: true,
    env: { ...BY_GROUPS, OIDC_ROLE_CLAIM: 'urn:zitadel:iam:org:project:roles' },
    refusedWith: 'not_staff',
  },
};

let stack: Stack;
let provider: IdentityProvider;

beforeAll(async () => {
  provider = await IdentityProvider.start();
  provider.tokenAuth = ['client_secret_basic', 'client_secret_post'];
  stack = await Stack.start({
    worker: false,
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'greenroom',
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_EMAIL_VERIFIED: 'always',
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLE_MAP: 'admins=admin;ops-team=ops;CN=Support,OU=Voices=support',
      OIDC_CREATE_MEMBERS: 'on',
      PASSWORD_SIGN_IN: 'off',
    },
  });
});

beforeEach(() => stack.dataSource.query('DELETE FROM staff_auth.attempt_bucket'));

afterAll(async () => {
  await provider.stop();
  await stack.stop();
});

async function signIn(claims: Partial<Claims>, baseUrl = stack.baseUrl) {
  const tab = new StaffClient(baseUrl);
  provider.claims = { sub: `sub of ${claims.email}`, ...claims };
  const start = await tab.post('/admin/auth/oidc');
  const { headers } = await fetch(start.body.url as string, { redirect: 'manual' });
  const { pathname, search } = new URL(headers.get('location')!);
  const back = await tab.get(pathname + search, { 'sec-fetch-site': 'cross-site' });
  return { tab, location: back.headers.get('location') };
}

const eventsOf = async (email: string) =>
  stack.dataSource.query<{ action: string; actor: string; reason: string | null }[]>(
    `SELECT action, actor_name AS actor, reason FROM audit_event
     WHERE target_id = (SELECT id::text FROM staff_auth.member WHERE email = $1) ORDER BY id`,
    [email],
  );

it('makes a person with a mapped group a member, with its role', async () => {
  const { tab, location } = await signIn({ email: 'new@staff.test', groups: ['ops-team'], name: 'Nia' });
  expect(location).toBe('/console/');
  expect((await tab.get('/admin/me')).body).toMatchObject({
    email: 'new@staff.test',
    name: 'Nia',
    role: 'ops',
    must_change_password: false,
  });
  expect(await eventsOf('new@staff.test')).toEqual([
    {
      action: 'staff.added',
      actor: 'identity provider',
      reason: 'Group "ops-team" of the identity provider',
    },
    { action: 'staff.signed_in', actor: 'new@staff.test', reason: null },
  ]);
});

it('reads the role again at each sign-in, of several groups the first in the map', async () => {
  const person = await addPerson(stack, 'support');
  const { tab } = await signIn({ ...person, groups: ['CN=Support,OU=Voices', 'ops-team'] });
  expect((await tab.get('/admin/me')).body.role).toBe('ops');
  const again = await signIn({ ...person, groups: ['CN=Support,OU=Voices'] });
  expect((await again.tab.get('/admin/me')).body.role).toBe('support');
  expect((await eventsOf(person.email)).filter(({ action }) => action === 'staff.changed')).toHaveLength(2);
});

it('refuses who has no such group any more, and ends their sessions', async () => {
  const { tab } = await signIn({ email: 'leaver@staff.test', groups: ['ops-team'] });
  const refused = await signIn({ email: 'leaver@staff.test', groups: ['others'] });
  expect(refused.location).toBe('/console/?error=no_role');
  expect((await tab.get('/admin/me')).status).toBe(401);
  expect((await eventsOf('leaver@staff.test')).map(({ action }) => action)).toContain('staff.sessions_ended');
});

it('leaves the last admin that role', async () => {
  const admins = await stack.dataSource.query<{ id: string }[]>(
    `UPDATE staff_auth.member SET disabled_at = now() WHERE role = 'admin' AND disabled_at IS NULL RETURNING id`,
  );
  try {
    const person = await addPerson(stack, 'admin');
    const { tab } = await signIn({ ...person, groups: ['ops-team'] });
    expect((await tab.get('/admin/me')).body.role).toBe('admin');
  } finally {
    await stack.dataSource.query(
      'UPDATE staff_auth.member SET disabled_at = NULL WHERE id = ANY ($1::uuid[])',
      [admins.map(({ id }) => id)],
    );
  }
});

describe.each(Object.entries(PROFILES))(
  '%s',
  (name, { claims, tokenAuth, apart = false, env, refusedWith }) => {
    const email = `${name.toLowerCase()}@staff.test`;

    /** A person at an api with these settings. */
    async function signInWith(settings: Record<string, string>, prepare?: (own: Stack) => Promise<unknown>) {
      provider.sendsClaimsApart = apart;
      provider.tokenAuth = tokenAuth && [...tokenAuth];
      const common = {
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: 'greenroom',
        OIDC_CLIENT_SECRET: CLIENT_SECRET,
      };
      const own = await Stack.start({ worker: false, env: { ...common, ...settings } });
      try {
        await prepare?.(own);
        const { tab, location } = await signIn({ email, ...claims }, own.baseUrl);
        return { location, me: (await tab.get('/admin/me')).body };
      } finally {
        provider.sendsClaimsApart = false;
        provider.tokenAuth = [BASIC, POST];
        await own.stop();
      }
    }

    it('says what is missing while nothing is set for it', async () => {
      const { location } = await signInWith({});
      outcomes.push([name, apart ? 'userinfo' : 'ID token', JSON.stringify(claims), 'nothing', location]);
      expect(location).toBe(`/console/?error=${refusedWith}`);
    });

    it('signs a person in by its settings', async () => {
      const isAdded = !('OIDC_CREATE_MEMBERS' in env);
      const { location, me } = await signInWith(env, async (own) => {
        if (isAdded) await addMember(own, email);
      });
      const settings = Object.entries(env).map((entry) => entry.join('='));
      outcomes.push([
        name,
        '',
        '',
        settings.join(' ') || 'an admin has added the person',
        `${location}, ${String(me.role)}`,
      ]);
      expect(location).toBe('/console/');
      expect(me).toMatchObject({ email, role: 'ops' });
    });
  },
);

const outcomes: (string | null)[][] = [];
afterAll(() => {
  process.stdout.write(`${outcomes.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`);
});

async function addMember(own: Stack, email: string): Promise<void> {
  const admin = await StaffClient.signedIn(own, 'admin');
  const added = await admin.post('/admin/staff', { email, role: 'ops', reason: 'A test' });
  expect(added.status).toBe(201);
}

describe('without passwords', () => {
  it('a right one is refused like a wrong one', async () => {
    const tab = new StaffClient(stack.baseUrl);
    expect((await tab.signIn(await addPerson(stack, 'ops'))).status).toBe(401);
    expect((await tab.get('/admin/auth/methods')).body).toMatchObject({ password: false, oidc: true });
  });

  it('one for an emergency signs in until its hour is over', async () => {
    const person = await addPerson(stack, 'admin');
    const set = async (end: string) =>
      stack.dataSource.query(
        `UPDATE staff_auth.member SET emergency_until = now() + $2::interval WHERE id = $1`,
        [person.id, end],
      );
    await set('1 hour');
    expect((await new StaffClient(stack.baseUrl).signIn(person)).status).toBe(200);
    await set('-1 second');
    expect((await new StaffClient(stack.baseUrl).signIn(person)).status).toBe(401);
  });
});
