import { RouteTable } from '../../apps/api/src/http/route-table';
import { codeOf } from '../support/authenticator';
import { addSecondFactor, ageConfirmations, clearUsedCodes } from '../support/second-factor';
import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const CONFIRM = '/admin/me/confirm-sign-in';
const reason = 'A test requested it';

async function aged(role: 'admin' | 'account_manager' = 'admin'): Promise<StaffClient> {
  const browser = await StaffClient.signedIn(stack, role);
  await ageConfirmations(stack, browser.person.id, 10);
  return browser;
}

const addPersonAs = (browser: StaffClient) =>
  browser.post('/admin/staff', { email: `new-${Math.random()}@staff.test`, role: 'ops', reason });

describe('403', () => {
  it('changes of staff, service credentials, entitlements and of many at once need a recent confirmation', () => {
    const changes = stack.api
      .get(RouteTable)
      .list()
      .flatMap(({ method, path, access }) => (typeof access === 'object' ? [{ method, path, access }] : []))
      .filter(({ method, access }) => method !== 'GET' && method !== 'HEAD' && access.staff !== 'signed_in');
    const sensitive = changes.filter(
      ({ path, access }) =>
        /^(staff|service_credentials|entitlements)\.write$/.test(access.staff) ||
        /\/(bulk-key-changes|voices\/re-review|dead-letters\/(retry|remove)|key-policy\/apply|key-policies\/:tier\/apply)$/.test(
          path,
        ),
    );
    expect(sensitive.length).toBeGreaterThan(12);
    expect(sensitive.filter(({ access }) => !access.confirmed)).toEqual([]);
  });

  it('ten minutes after the sign-in such a change is refused and changes nothing; confirming lets it through', async () => {
    const browser = await aged();
    const refused = await addPersonAs(browser);
    expect([refused.status, refused.body.code]).toEqual([403, 'sign_in_confirmation_required']);
    expect(refused.body.detail).toContain('your password');
    expect((await browser.get('/admin/staff')).status).toBe(200);
    const wrong = await browser.post(CONFIRM, { password: 'not the password' });
    expect([wrong.status, (wrong.body.errors as { pointer: string }[])[0]!.pointer]).toEqual([
      422,
      '#/password',
    ]);
    expect((await addPersonAs(browser)).status).toBe(403);
    expect((await browser.post(CONFIRM, { password: browser.person.password })).status).toBe(204);
    expect((await addPersonAs(browser)).status).toBe(201);
    const { body } = await browser.get(`/admin/audit-log?target=${browser.person.id}&limit=1`);
    expect((body.items as { action: string }[])[0]!.action).toBe('staff.sign_in_confirmed');
  });

  it('holds for one session only, and not before ten minutes are over', async () => {
    const browser = await aged();
    const other = new StaffClient(stack.baseUrl);
    await other.signIn(browser.person);
    await ageConfirmations(stack, browser.person.id, 10);
    await browser.post(CONFIRM, { password: browser.person.password });
    expect([(await addPersonAs(browser)).status, (await addPersonAs(other)).status]).toEqual([201, 403]);
    await ageConfirmations(stack, browser.person.id, 9);
    expect((await addPersonAs(browser)).status).toBe(201);
  });

  it('with a second factor only a code confirms, and each code once', async () => {
    const browser = await StaffClient.signedIn(stack, 'admin');
    const { secret } = await addSecondFactor(browser);
    await clearUsedCodes(stack, browser.person.id);
    await ageConfirmations(stack, browser.person.id, 11);
    expect((await addPersonAs(browser)).body.detail).toContain('authenticator app');
    const { status, body } = await browser.post(CONFIRM, { password: browser.person.password });
    expect([status, (body.errors as { pointer: string }[])[0]!.pointer]).toEqual([422, '#/code']);
    const code = codeOf(secret);
    const responses = await Promise.all([1, 2, 3].map(() => browser.post(CONFIRM, { code })));
    expect(responses.map((response) => response.status).sort()).toEqual([204, 401, 401]);
    expect((await addPersonAs(browser)).status).toBe(201);
  });

  it('removing the second factor needs one, too', async () => {
    const browser = await StaffClient.signedIn(stack, 'support');
    const { secret } = await addSecondFactor(browser);
    await ageConfirmations(stack, browser.person.id, 11);
    const { password } = browser.person;
    const remove = () => browser.post('/admin/me/second-factor/remove', { password });
    expect((await remove()).body.code).toBe('sign_in_confirmation_required');
    await browser.post(CONFIRM, { code: codeOf(secret, 1) });
    expect((await remove()).status).toBe(204);
    expect((await browser.get('/admin/me')).body.second_factor).toBe(false);
  });
});

describe('429', () => {
  it('guesses at the password of a session are counted, for this person only', async () => {
    const browser = await aged();
    const statuses = [];
    for (let i = 0; i < 11; i += 1)
      statuses.push((await browser.post(CONFIRM, { password: `guess ${i}` })).status);
    expect(statuses).toEqual([...Array<number>(10).fill(422), 429]);
    const another = await aged();
    expect((await another.post(CONFIRM, { password: another.person.password })).status).toBe(204);
    expect((await new StaffClient(stack.baseUrl).signIn(browser.person)).status).toBe(200);
  });
});

describe('a role that requires a second factor', () => {
  let admin: StaffClient;

  beforeAll(async () => {
    admin = await StaffClient.signedIn(stack, 'admin');
  });

  async function require(role: string, required: boolean) {
    const { headers } = await admin.get(`/admin/roles/${role}`);
    const change = { second_factor_required: required, reason };
    return admin.patch(`/admin/roles/${role}`, change, { 'if-match': headers.get('etag')! });
  }

  it('leads its members to set one up before anything else, also in sessions that are open', async () => {
    const browser = await StaffClient.signedIn(stack, 'support');
    const ops = await StaffClient.signedIn(stack, 'ops');
    const changed = await require('support', true);
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({ role: 'support', second_factor_required: true }),
    ]);
    const refused = await browser.get('/admin/accounts');
    expect([refused.status, refused.body.code]).toEqual([403, 'second_factor_setup_required']);
    expect((await ops.get('/admin/queues')).status).toBe(200);
    expect((await browser.get('/admin/me')).body).toMatchObject({
      second_factor: false,
      second_factor_required: true,
    });
    await addSecondFactor(browser);
    expect((await browser.get('/admin/accounts')).status).toBe(200);
    const { password } = browser.person;
    const removal = await browser.post('/admin/me/second-factor/remove', { password });
    expect([removal.status, removal.body.code]).toEqual([409, 'second_factor_required_by_role']);
    expect((await require('support', false)).status).toBe(200);
    expect((await browser.post('/admin/me/second-factor/remove', { password })).status).toBe(204);
  });

  it('says how many active members have none', async () => {
    const countOf = async () => {
      const { members, without_second_factor: without } = (await admin.get('/admin/roles/account_manager'))
        .body;
      return [Number(members), Number(without)];
    };
    const [members = 0, without = 0] = await countOf();
    await addSecondFactor(await StaffClient.signedIn(stack, 'account_manager'));
    const disabled = await addPerson(stack, 'account_manager');
    await addPerson(stack, 'account_manager');
    await stack.dataSource.query('UPDATE staff_auth.member SET disabled_at = now() WHERE id = $1', [
      disabled.id,
    ]);
    expect(await countOf()).toEqual([members + 2, without + 1]);
    const { body } = await admin.get('/admin/roles');
    expect((body.items as object[])[1]).toMatchObject({
      members: members + 2,
      without_second_factor: without + 1,
    });
  });

  it('a temporary password is changed first', async () => {
    await require('ops', true);
    const person = await addPerson(stack, 'ops', { oneTime: true });
    const browser = new StaffClient(stack.baseUrl);
    await browser.signIn(person);
    const setUp = () => browser.post('/admin/me/second-factor', { password: person.password });
    expect((await setUp()).body.code).toBe('password_change_required');
    const chosen = 'three lamps over the stage';
    await browser.post('/admin/me/password', { current_password: person.password, new_password: chosen });
    browser.person = { ...person, password: chosen };
    expect((await browser.get('/admin/queues')).body.code).toBe('second_factor_setup_required');
    await addSecondFactor(browser);
    expect((await browser.get('/admin/queues')).status).toBe(200);
    await require('ops', false);
  });

  it('is set by admins, with a version and an event', async () => {
    const { body } = await admin.get('/admin/roles');
    expect((body.items as { role: string }[]).map(({ role }) => role)).toEqual([
      'admin',
      'account_manager',
      'support',
      'ops',
    ]);
    const stale = await admin.patch(
      '/admin/roles/ops',
      { second_factor_required: true, reason },
      { 'if-match': '"v0"' },
    );
    expect(stale.status).toBe(412);
    expect((await admin.get('/admin/roles/nobody')).status).toBe(404);
    await require('account_manager', true);
    await require('account_manager', false);
    const events = (await admin.get('/admin/audit-log?target=account_manager&limit=1')).body;
    expect((events.items as object[])[0]).toMatchObject({
      action: 'staff.role_policy_changed',
      before: { second_factor_required: true },
      after: { second_factor_required: false },
      reason,
    });
  });
});
