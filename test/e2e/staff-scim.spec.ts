import { CLIENT_SECRET, IdentityProvider } from '../support/identity-provider';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';

const TOKEN = 'a-bearer-token-of-the-identity-provider';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

let provider: IdentityProvider;
let stack: Stack;
const said: string[] = [];

beforeAll(async () => {
  provider = await IdentityProvider.start();
  provider.tokenAuth = ['client_secret_basic'];
  stack = await Stack.start({
    worker: false,
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'greenroom',
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_ROLE_MAP: 'admins=admin;ops-team=ops;support-team=support',
      SCIM_TOKEN: TOKEN,
    },
  });
});

beforeEach(() => stack.dataSource.query('DELETE FROM staff_auth.attempt_bucket'));

afterAll(async () => {
  process.stdout.write(`${said.join('\n')}\n`);
  await provider.stop();
  await stack.stop();
});

interface ScimResponse {
  status: number;
  type: string | null;
  body: Record<string, unknown> & { id: string };
}

async function scim(method: string, path: string, body?: object, token = TOKEN): Promise<ScimResponse> {
  const response = await fetch(`${stack.baseUrl}/scim/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/scim+json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const request = `${method} /scim/v2${path.replaceAll(/[\da-f-]{36}/g, ':id')}`;
  said.push(
    `${request}${body ? ` ${JSON.stringify(body).replaceAll(/[\da-f-]{36}/g, ':id')}` : ''} → ${response.status}`,
  );
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0] ?? null,
    body: (text ? JSON.parse(text) : {}) as ScimResponse['body'],
  };
}

let people = 0;
const newPerson = (more: object = {}) => ({
  schemas: [USER],
  userName: `person-${++people}@staff.test`,
  name: { givenName: 'Nia', familyName: 'Okoye' },
  active: true,
  ...more,
});

const operations = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const add = (id: string) => operations({ op: 'add', path: 'members', value: [{ value: id }] });
const remove = (id: string) => operations({ op: 'remove', path: `members[value eq "${id}"]` });

async function groupOf(name: string): Promise<string> {
  const { body } = await scim('GET', `/Groups?filter=${encodeURIComponent(`displayName eq "${name}"`)}`);
  const [known] = body.Resources as { id: string }[];
  return known?.id ?? (await scim('POST', '/Groups', { schemas: [GROUP], displayName: name })).body.id;
}

async function signIn(email: string) {
  const staff = new StaffClient(stack.baseUrl);
  provider.claims = { sub: `sub of ${email}`, email, email_verified: true };
  const start = await staff.post('/admin/auth/oidc');
  const { headers } = await fetch(start.body.url as string, { redirect: 'manual' });
  const { pathname, search } = new URL(headers.get('location')!);
  const back = await staff.get(pathname + search, { 'sec-fetch-site': 'cross-site' });
  said.push(`sign-in at the provider → ${back.status} ${back.headers.get('location')}`);
  return { staff, location: back.headers.get('location') };
}

async function me(staff: StaffClient) {
  const { status, body } = await staff.get('/admin/me');
  said.push(`GET /admin/me → ${status} ${String(body.role ?? body.code)}`);
  return [status, body.role ?? body.code];
}

const eventsOf = async (id: string) =>
  stack.dataSource.query<{ action: string; actor: string }[]>(
    `SELECT action, actor_name AS actor FROM audit_event WHERE target_id = $1
     AND actor_name = 'identity provider' ORDER BY id`,
    [id],
  );

it('a person: created, in a group, signed in, in another group, deactivated: 401, and again active', async () => {
  const ops = await groupOf('ops-team');
  const support = await groupOf('support-team');
  const person = newPerson({ externalId: 'e-1' });
  const created = await scim('POST', '/Users', person);
  expect([created.status, created.type]).toEqual([201, 'application/scim+json']);
  expect(created.body).toMatchObject({
    externalId: 'e-1',
    userName: person.userName,
    displayName: 'Nia Okoye',
    active: true,
    groups: [],
    meta: { resourceType: 'User', location: `${stack.baseUrl}/scim/v2/Users/${created.body.id}` },
  });
  const { id } = created.body;
  // Without a group that gives a role, no one signs in.
  expect((await signIn(person.userName)).location).toMatch(/error=disabled/);
  expect((await scim('PATCH', `/Groups/${ops}`, add(id))).status).toBe(200);
  const { staff } = await signIn(person.userName);
  expect(await me(staff)).toEqual([200, 'ops']);
  await scim('PATCH', `/Groups/${support}`, add(id));
  await scim('PATCH', `/Groups/${ops}`, remove(id));
  expect(await me(staff)).toEqual([200, 'support']);

  const at = performance.now();
  // As Entra writes it.
  const off = await scim(
    'PATCH',
    `/Users/${id}`,
    operations({ op: 'Replace', path: 'active', value: 'False' }),
  );
  expect([off.status, off.body.active]).toEqual([200, false]);
  expect(await me(staff)).toEqual([401, 'staff_sign_in_required']);
  const seconds = (performance.now() - at) / 1_000;
  said.push(`401 after ${seconds.toFixed(3)} s`);
  expect(seconds).toBeLessThan(3);
  expect((await signIn(person.userName)).location).toMatch(/error=disabled/);
  // As Okta writes it.
  await scim('PATCH', `/Users/${id}`, operations({ op: 'replace', value: { active: true } }));
  expect(await me((await signIn(person.userName)).staff)).toEqual([200, 'support']);

  expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
  expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
  const actions = (await eventsOf(id)).map(({ action }) => action);
  said.push(`audited: ${actions.join(', ')}`);
  expect(actions.join(' ').replaceAll('staff.', '')).toBe(
    'added provisioned disabled enabled changed provisioned disabled provisioned enabled provisioned disabled',
  );
  expect((await eventsOf(ops)).map(({ action }) => action)).toEqual([
    'staff_group.created',
    'staff_group.changed',
    'staff_group.changed',
  ]);
});

it('a person leaves their last group, or it is renamed or deleted: they are out', async () => {
  const { id, userName } = (await scim('POST', '/Users', newPerson())).body as unknown as {
    id: string;
    userName: string;
  };
  const group = await groupOf('ops-team');
  await scim('PATCH', `/Groups/${group}`, add(id));
  const { staff } = await signIn(userName);
  expect(await me(staff)).toEqual([200, 'ops']);
  await scim('PATCH', `/Groups/${group}`, remove(id));
  expect(await me(staff)).toEqual([401, 'staff_sign_in_required']);
  await scim('PUT', `/Groups/${group}`, {
    schemas: [GROUP],
    displayName: 'ops-team',
    members: [{ value: id }],
  });
  expect(await me((await signIn(userName)).staff)).toEqual([200, 'ops']);
  await scim(
    'PATCH',
    `/Groups/${group}`,
    operations({ op: 'replace', path: 'displayName', value: 'former' }),
  );
  expect((await signIn(userName)).location).toMatch(/error=disabled/);
  await scim('PATCH', `/Groups/${group}`, operations({ op: 'replace', value: { displayName: 'ops-team' } }));
  expect(await me((await signIn(userName)).staff)).toEqual([200, 'ops']);
  expect((await scim('DELETE', `/Groups/${group}`)).status).toBe(204);
  expect((await signIn(userName)).location).toMatch(/error=disabled/);
});

it('a member from before is taken over as they are, and the last admin stays', async () => {
  const member = await addPerson(stack, 'support');
  const { status, body } = await scim('POST', '/Users', newPerson({ userName: member.email.toUpperCase() }));
  expect([status, body.id]).toEqual([201, member.id]);
  const staff = new StaffClient(stack.baseUrl);
  expect((await staff.signIn(member)).status).toBe(200);
  expect(await me(staff)).toEqual([200, 'support']);
  expect((await scim('POST', '/Users', newPerson({ userName: member.email }))).body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '409',
    scimType: 'uniqueness',
  });
  await stack.dataSource.query(`UPDATE staff_auth.member SET disabled_at = now() WHERE role = 'admin'`);
  const admin = await addPerson(stack, 'admin');
  const { id } = (await scim('POST', '/Users', newPerson({ userName: admin.email }))).body;
  const refused = await scim(
    'PATCH',
    `/Users/${id}`,
    operations({ op: 'replace', path: 'active', value: false }),
  );
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('last admin') } });
  expect((await scim('GET', `/Users/${id}`)).body.active).toBe(true);
});

it('lists in pages, finds by userName, replaces', async () => {
  const own = await Promise.all([1, 2, 3].map(async () => (await scim('POST', '/Users', newPerson())).body));
  const first = (await scim('GET', '/Users?count=2')).body;
  expect(first).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
  const ids: string[] = [];
  for (let start = 1; start <= (first.totalResults as number); start += 2) {
    const { body } = await scim('GET', `/Users?startIndex=${start}&count=2`);
    ids.push(...(body.Resources as { id: string }[]).map(({ id }) => id));
  }
  expect(new Set(ids).size).toBe(first.totalResults);
  expect(ids).toEqual(expect.arrayContaining(own.map(({ id }) => id)));
  const filter = encodeURIComponent(
    `UserName Eq "${String(own[0]!.userName).toUpperCase()}"`.replace('Eq', 'eq'),
  );
  const found = (await scim('GET', `/Users?filter=${filter}`)).body;
  expect([found.totalResults, (found.Resources as { id: string }[])[0]!.id]).toEqual([1, own[0]!.id]);
  expect((await scim('GET', '/Users?count=0')).body).toMatchObject({ itemsPerPage: 0, Resources: [] });
  const { body } = await scim('PUT', `/Users/${own[0]!.id}`, {
    ...newPerson({ userName: own[0]!.userName, displayName: 'Nia O.', externalId: 'e-2' }),
  });
  expect(body).toMatchObject({ displayName: 'Nia O.', externalId: 'e-2', active: true });
});

it('describes itself', async () => {
  expect((await scim('GET', '/ServiceProviderConfig')).body).toMatchObject({ patch: { supported: true } });
  expect((await scim('GET', '/Schemas')).body).toMatchObject({
    totalResults: 2,
    Resources: [{ id: USER }, { id: GROUP }],
  });
  expect((await scim('GET', '/ResourceTypes')).body).toMatchObject({
    Resources: [{ endpoint: '/Users' }, { endpoint: '/Groups' }],
  });
});

describe('refuses, with what is accepted', () => {
  it.each<[string, string, object | undefined, number, string | undefined, string]>([
    ['POST', '/Users', { userName: 'nia' }, 400, 'invalidValue', 'userName'],
    ['POST', '/Users', { userName: 7 }, 400, 'invalidValue', 'userName'],
    ['POST', '/Users', { userName: 'a\u0000@staff.test' }, 400, 'invalidValue', 'userName'],
    ['POST', '/Users', newPerson({ active: 'perhaps' }), 400, 'invalidValue', 'active'],
    ['POST', '/Users', [] as object, 400, 'invalidValue', 'an object'],
    ['POST', '/Groups', {}, 400, 'invalidValue', 'displayName'],
    ['POST', '/Groups', { displayName: 'x', members: [{ value: 'y' }] }, 400, 'invalidValue', 'members'],
    [
      'POST',
      '/Groups',
      { displayName: 'x', members: [{ value: '00000000-0000-4000-8000-000000000000' }] },
      400,
      'invalidValue',
      'members',
    ],
    ['GET', '/Users?filter=active%20eq%20true', undefined, 400, 'invalidFilter', 'userName eq'],
    ['GET', '/Users?filter=a&filter=b', undefined, 400, 'invalidFilter', 'userName eq'],
    ['GET', '/Users?count=many', undefined, 400, 'invalidValue', 'count'],
    [
      'PATCH',
      '/Users/nia',
      operations({ op: 'replace', path: 'active', value: true }),
      404,
      undefined,
      'nia',
    ],
    ['DELETE', '/Groups/00000000-0000-4000-8000-000000000000', undefined, 404, undefined, 'group'],
    ['POST', '/Bulk', {}, 404, undefined, ''],
  ])('%s %s %j: %d %s', async (method, path, body, status, scimType, text) => {
    const response = await scim(method, path, body);
    expect(response).toMatchObject({
      status,
      body: { status: String(status), detail: expect.stringContaining(text) },
    });
    expect(response.body.scimType).toBe(scimType);
  });

  it('patches that say nothing', async () => {
    const { id } = (await scim('POST', '/Users', newPerson())).body;
    for (const body of [
      {},
      { Operations: 'x' },
      operations({ op: 'move' }),
      operations({ op: 'add', value: 3 }),
    ])
      expect((await scim('PATCH', `/Users/${id}`, body)).body).toMatchObject({
        status: '400',
        scimType: 'invalidValue',
      });
    const other = operations({ op: 'replace', path: 'userName', value: 'other@staff.test' });
    expect((await scim('PATCH', `/Users/${id}`, other)).body.detail).toContain(
      'another address is another User',
    );
  });

  it('another token, an ill-formed body, another kind of body', async () => {
    const refused = await scim('GET', '/Users', undefined, `${TOKEN}x`);
    expect(refused).toMatchObject({ status: 401, type: 'application/scim+json', body: { status: '401' } });
    const send = async (type: string, body: string) =>
      (
        await fetch(`${stack.baseUrl}/scim/v2/Users`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type },
          body,
        })
      ).status;
    expect(await Promise.all([send('application/scim+json', '{'), send('text/plain', '{}')])).toEqual([
      400, 415,
    ]);
  });
});
