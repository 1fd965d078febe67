import { RouteTable, type RouteAccess } from '../../apps/api/src/http/route-table';
import { mayStaff, STAFF_ROLES } from '../../libs/domain/staff/staff-permissions';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
const browsers = new Map<string, StaffClient>();

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  for (const role of STAFF_ROLES) browsers.set(role, await StaffClient.signedIn(stack, role));
});

afterAll(async () => {
  await stack.stop();
});

type StaffRoute = { method: string; path: string; access: Extract<RouteAccess, object> };

/** They would end the sessions of this test, and never end themselves. */
const LEFT_OUT = ['/admin/auth/sign-out', '/admin/queues/events'];

/** Every route for staff that the running server has, but for those. */
function staffRoutes(): StaffRoute[] {
  return stack.api
    .get(RouteTable)
    .list()
    .filter((route): route is StaffRoute => typeof route.access === 'object')
    .filter(({ path }) => !LEFT_OUT.includes(path));
}

/** A request that gets past the guard at the most: ids that do not exist, an empty body, no If-Match. */
async function knock(browser: StaffClient, { method, path }: StaffRoute) {
  const url = path.replace(/:[a-z_]+/g, '00000000-0000-4000-8000-000000000000');
  return browser.send(method, url, ['GET', 'HEAD', 'DELETE'].includes(method) ? undefined : {});
}

it('every role may call the routes of its permissions and no others', async () => {
  const expected: string[] = [];
  const found: string[] = [];
  for (const route of staffRoutes()) {
    const name = `${route.method} ${route.path} ${route.access.staff}`;
    const { staff } = route.access;
    expected.push(
      `${name} ${STAFF_ROLES.map((role) => (staff === 'signed_in' || mayStaff(role, staff) ? '✓' : '–')).join(' ')}`,
    );
    const marks = [];
    for (const role of STAFF_ROLES) {
      const { status, body } = await knock(browsers.get(role)!, route);
      const refused = status === 403 && (route.method === 'HEAD' || body.code === 'staff_permission_missing');
      marks.push(refused ? '–' : status === 401 ? 'no session' : '✓');
    }
    found.push(`${name} ${marks.join(' ')}`);
  }
  expect(found.length).toBeGreaterThan(10);
  expect(found).toEqual(expected);
});

it('no route for staff works without a session', async () => {
  for (const route of staffRoutes()) {
    const { status } = await knock(new StaffClient(stack.baseUrl), route);
    expect([route.method, route.path, status]).toEqual([route.method, route.path, 401]);
  }
});

it('a key of a customer opens nothing for staff, and a session of staff nothing for customers', async () => {
  const { secret } = await stack.issueKey();
  const withKey = await new StaffClient(stack.baseUrl).get('/admin/me', { 'xi-api-key': secret });
  expect(withKey.status).toBe(401);
  const withSession = await browsers.get('admin')!.get('/v1/voices/00000000000000000000');
  expect([withSession.status, withSession.body.detail]).toEqual([
    401,
    expect.objectContaining({ code: 'missing_api_key' }),
  ]);
});

it('a path that is written in another way is guarded all the same', async () => {
  const anonymous = new StaffClient(stack.baseUrl);
  for (const path of [
    '/%61dmin/me',
    '/admin/%6de',
    '/admin//me',
    '/admin/me/',
    '/Admin/me',
    '/./admin/me',
    '/v1/../admin/me',
  ]) {
    expect([path, [401, 404].includes((await anonymous.get(path)).status)]).toEqual([path, true]);
  }
});

it('says which roles have the permission that is missing', async () => {
  const { status, body, headers } = await browsers.get('ops')!.get('/admin/staff');
  expect([status, headers.get('content-type')]).toEqual([403, 'application/problem+json; charset=utf-8']);
  expect(body).toEqual({
    type: 'urn:greenroom:problem:staff_permission_missing',
    title: 'Staff permission missing',
    status: 403,
    detail: 'The role ops may not do this: it needs staff.read, which admin have.',
    code: 'staff_permission_missing',
    request_id: headers.get('x-request-id'),
  });
});

it.each([
  ['GET', '/admin/nothing', 404, 'not_found'],
  ['DELETE', '/admin/me', 405, 'method_not_allowed'],
])('errors of the framework are problem documents too: %s %s', async (method, path, status, code) => {
  const response = await browsers.get('admin')!.send(method, path);
  expect([response.status, response.body.code, response.headers.get('content-type')]).toEqual([
    status,
    code,
    'application/problem+json; charset=utf-8',
  ]);
});
