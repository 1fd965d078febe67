import { Stack } from '../support/stack';
import { addPerson, StaffClient } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const admin = StaffClient.ofFile(stack, 'admin');

const NOBODY = '/admin/staff/00000000-0000-4000-8000-000000000000';
const reason = 'A test requested it';

async function etagOf(id: string): Promise<string> {
  return (await admin.get(`/admin/staff/${id}`)).headers.get('etag')!;
}

async function change(id: string, body: object, ifMatch?: string) {
  return admin.patch(
    `/admin/staff/${id}`,
    { reason, ...body },
    { 'if-match': ifMatch ?? (await etagOf(id)) },
  );
}

async function lastEvent(id: string): Promise<Record<string, unknown>> {
  const { body } = await admin.get(`/admin/audit-log?target=${id}&limit=1`);
  return (body.items as Record<string, unknown>[])[0]!;
}

describe('200', () => {
  it('adds a member, whose password is shown once and never again', async () => {
    const added = await admin.post('/admin/staff', { email: 'New.Person@staff.test', role: 'ops', reason });
    expect(added.status).toBe(201);
    const { id, one_time_password: password } = added.body as { id: string; one_time_password: string };
    expect(added.body).toMatchObject({
      email: 'new.person@staff.test',
      name: 'new.person',
      role: 'ops',
      version: 1,
    });
    expect(added.headers.get('etag')).toBe('"v1"');
    const texts = [
      (await admin.get(`/admin/staff/${id}`)).text,
      (await admin.get('/admin/staff')).text,
      (await admin.get('/admin/audit-log')).text,
    ];
    for (const text of texts) expect(text).not.toContain(password);
    const browser = new StaffClient(stack.baseUrl);
    expect((await browser.signIn({ email: 'new.person@staff.test', password })).status).toBe(200);
    expect(await lastEvent(id)).toMatchObject({ action: 'staff.signed_in' });
  });

  it('changes a role, which holds for sessions that are open, and writes down who, what and why', async () => {
    const ops = await StaffClient.signedIn(stack, 'ops');
    expect((await ops.get('/admin/staff')).status).toBe(403);
    const changed = await change(ops.person.id, { role: 'admin' });
    expect([changed.status, changed.body.version]).toEqual([200, 3]);
    expect((await ops.get('/admin/staff')).status).toBe(200);
    expect(await lastEvent(ops.person.id)).toMatchObject({
      actor: { kind: 'staff', id: admin.person.id, name: admin.person.email, role: 'admin' },
      action: 'staff.changed',
      target: { type: 'staff', id: ops.person.id },
      before: { role: 'ops' },
      after: { role: 'admin' },
      reason,
      address: '127.0.0.1',
      request_id: changed.headers.get('x-request-id'),
    });
    await change(ops.person.id, { role: 'ops' });
  });

  it('a change that changes nothing writes no event', async () => {
    const { id } = await addPerson(stack, 'support');
    const before = await lastEvent(id);
    expect((await change(id, { role: 'support', disabled: false })).status).toBe(200);
    expect(await lastEvent(id)).toEqual(before);
  });

  it('resets a password: the old one and every session end', async () => {
    const person = await StaffClient.signedIn(stack, 'support');
    const { id } = person.person;
    const ifMatch = { 'if-match': await etagOf(id) };
    const reset = await admin.post(`/admin/staff/${id}/reset-password`, { reason }, ifMatch);
    expect(reset.status).toBe(200);
    expect((await person.get('/admin/me')).status).toBe(401);
    expect((await new StaffClient(stack.baseUrl).signIn(person.person)).status).toBe(401);
    const password = reset.body.one_time_password as string;
    expect((await person.signIn({ email: person.person.email, password })).status).toBe(200);
    expect((await person.get('/admin/me')).body).toMatchObject({ must_change_password: true });
    expect(JSON.stringify(await lastEvent(id))).not.toContain(password);
  });

  it('pages through everybody, once each, whatever the page size', async () => {
    for (let i = 0; i < 5; i += 1) await addPerson(stack, 'support');
    for (const limit of [1, 3, 200]) {
      const seen: string[] = [];
      let cursor: string | null = '';
      let total = 0;
      while (cursor !== null) {
        const { body }: { body: Record<string, unknown> } = await admin.get(
          `/admin/staff?role=support&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
        );
        seen.push(...(body.items as { email: string }[]).map(({ email }) => email));
        cursor = body.next_cursor as string | null;
        total = body.total as number;
      }
      expect(seen).toHaveLength(total);
      expect(seen).toEqual([...new Set(seen)].sort());
    }
  });
});

describe('404', () => {
  it.each([
    ['GET', NOBODY],
    ['PATCH', NOBODY],
    ['POST', `${NOBODY}/reset-password`],
    ['POST', `${NOBODY}/end-sessions`],
    ['GET', '/admin/staff/not-an-id'],
  ])('%s %s', async (method, path) => {
    const body = method === 'GET' ? undefined : { reason };
    const response = await admin.send(method, path, body, { 'if-match': '"v1"' });
    expect([response.status, response.body.code]).toEqual([404, 'staff_not_found']);
  });
});

describe('409', () => {
  it('an e-mail address that is taken, in whatever case', async () => {
    const { email } = await addPerson(stack, 'support');
    const response = await admin.post('/admin/staff', { email: email.toUpperCase(), role: 'ops', reason });
    expect([response.status, response.body.code]).toEqual([409, 'staff_email_taken']);
    expect(response.body.errors).toMatchObject([{ pointer: '#/email' }]);
  });

  it('an e-mail address that is taken, in whatever writing', async () => {
    const first = await admin.post('/admin/staff', { email: 'ana@münchen.example', role: 'ops', reason });
    expect([first.status, first.body.email]).toEqual([201, 'ana@xn--mnchen-3ya.example']);
    for (const email of [
      'ana@xn--mnchen-3ya.example',
      'Ana@MÜNCHEN.example',
      'ana@mu\u0308nchen.example',
      'an\u200ba@münchen.example\ufeff',
    ]) {
      const response = await admin.post('/admin/staff', { email, role: 'ops', reason });
      expect([email, response.status, response.body.code]).toEqual([email, 409, 'staff_email_taken']);
    }
    const { body } = await admin.get(`/admin/staff?search=${encodeURIComponent('ana@münchen.example')}`);
    expect(body.total).toBe(1);
  });

  it('the last admin who can sign in cannot be disabled, with another whose password has lapsed', async () => {
    const lapsed = await addPerson(stack, 'admin', { oneTime: true });
    await stack.dataSource.query(
      `UPDATE staff_auth.member SET disabled_at = now() WHERE role = 'admin' AND id NOT IN ($1, $2)`,
      [admin.person.id, lapsed.id],
    );
    const setEnd = (end: string) =>
      stack.dataSource.query(
        `UPDATE staff_auth.member SET one_time_password_until = now() + $2::interval WHERE id = $1`,
        [lapsed.id, end],
      );
    await setEnd('-1 minute');
    for (const body of [{ disabled: true }, { role: 'ops' }]) {
      const response = await change(admin.person.id, body);
      expect([response.status, response.body.code]).toEqual([409, 'last_admin']);
    }
    await setEnd('1 hour');
    expect((await change(admin.person.id, { role: 'ops' })).status).toBe(200);
    await stack.dataSource.query(`UPDATE staff_auth.member SET role = 'admin' WHERE id = $1`, [
      admin.person.id,
    ]);
  });

  it('the last admin can neither be disabled nor given another role, also by two at once', async () => {
    await stack.dataSource.query(
      `UPDATE staff_auth.member SET disabled_at = now() WHERE role = 'admin' AND id <> $1`,
      [admin.person.id],
    );
    for (const body of [{ disabled: true }, { role: 'ops' }]) {
      const response = await change(admin.person.id, body);
      expect([response.status, response.body.code]).toEqual([409, 'last_admin']);
    }
    const second = await StaffClient.signedIn(stack, 'admin');
    const ids = [admin.person.id, second.person.id];
    const etags = await Promise.all(ids.map(etagOf));
    const responses = await Promise.all(
      ids.map((id, i) =>
        admin.patch(`/admin/staff/${id}`, { role: 'ops', reason }, { 'if-match': etags[i]! }),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    await stack.dataSource.query(`UPDATE staff_auth.member SET role = 'admin' WHERE id = $1`, [
      admin.person.id,
    ]);
  });
});

describe('412 and 428', () => {
  it('of 20 edits of one person at the same time one wins', async () => {
    const { id } = await addPerson(stack, 'support');
    const etag = await etagOf(id);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => change(id, { name: `Name ${i}` }, etag)),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(19).fill(412)]);
    const { body } = await admin.get(`/admin/audit-log?target=${id}&action=staff.changed`);
    expect(body.total).toBe(1);
  });

  it.each([
    [undefined, 428],
    ['"v99"', 412],
    ['W/"v1"', 412],
    ['"yesterday"', 412],
    ['v1', 412],
  ])('If-Match %s', async (ifMatch, status) => {
    const { id } = await addPerson(stack, 'ops');
    const response = await admin.patch(
      `/admin/staff/${id}`,
      { disabled: true, reason },
      ifMatch === undefined ? {} : { 'if-match': ifMatch },
    );
    expect([response.status, (await admin.get(`/admin/staff/${id}`)).body.disabled]).toEqual([status, false]);
  });
});

describe('422', () => {
  it.each([
    [{ role: 'root', reason }, '#/role', 'root'],
    [{ role: 'ops', reason: '  ' }, '#/reason', '  '],
    [{ email: 'nobody', role: 'ops', reason }, '#/email', 'nobody'],
    [{ email: 'a b@staff.test', role: 'ops', reason }, '#/email', 'a b@staff.test'],
    [{ email: 'zoë@staff.test', role: 'ops', reason }, '#/email', 'zoë@staff.test'],
  ])('%j: names the field, the value and what is accepted', async (changes, pointer, given) => {
    const before = (await admin.get('/admin/staff')).body.total;
    const response = await admin.post('/admin/staff', { email: 'someone@staff.test', ...changes });
    expect([response.status, response.body.code]).toEqual([422, 'invalid_input']);
    const [part] = response.body.errors as Record<string, unknown>[];
    expect(part).toMatchObject({ pointer, given, accepted: expect.any(String) });
    expect((await admin.get('/admin/staff')).body.total).toBe(before);
  });

  it.each([
    [
      'of another list',
      async () => (await admin.get('/admin/audit-log?limit=1')).body.next_cursor,
      /another list/,
    ],
    [
      'of another filter',
      async () => (await admin.get('/admin/staff?limit=1&disabled=false')).body.next_cursor,
      /another filter/,
    ],
    ['that is damaged', async () => 'bm90LWpzb24', /damaged/],
    ['of rubbish', async () => '%00%ff', /./],
  ])('a cursor %s', async (_, cursor, expected) => {
    const response = await admin.get(`/admin/staff?cursor=${String(await cursor())}`);
    expect([response.status < 500, response.status >= 400]).toEqual([true, true]);
    expect(response.body.detail).toMatch(expected);
  });

  it('a limit beyond what a page has', async () => {
    const limit = '201';
    const response = await admin.get(`/admin/staff?limit=${limit}`);
    expect([response.status, response.body.errors]).toEqual([
      422,
      [
        {
          parameter: 'limit',
          given: limit,
          accepted: 'a whole number from 1 to 200',
          message: 'should be a whole number from 1 to 200',
        },
      ],
    ]);
  });
});
