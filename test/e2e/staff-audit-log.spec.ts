import type { AuditAction } from '../../libs/domain/audit/audit-actions';
import { randomUUID } from 'node:crypto';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { bySystem } from '../../libs/administration/audit/audit-actors';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const admin = StaffClient.ofFile(stack, 'admin');

type Item = {
  id: string;
  action: string;
  actor: { id: string };
  target: { id: string; account_id: string | null };
};

async function record(
  action: string,
  changes: { actorId?: string; targetId?: string; accountId?: string } = {},
) {
  const actor = { ...bySystem('test'), ...(changes.actorId && { id: changes.actorId }) };
  const target = { type: 'api_key', id: changes.targetId ?? randomUUID(), accountId: changes.accountId };
  await stack.dataSource.transaction((em) =>
    stack.api.get(AuditLog).record({ actor, action: action as AuditAction, target }, em),
  );
}

async function items(browser: StaffClient, query = ''): Promise<Item[]> {
  const { status, body } = await browser.get(`/admin/audit-log${query}`);
  expect(status).toBe(200);
  return body.items as Item[];
}

describe('200', () => {
  it('narrows by actor, action, target, account and time, newest first', async () => {
    const [targetId, accountId] = [randomUUID(), randomUUID()];
    await record('key.disabled', { targetId, accountId });
    const middle = new Date().toISOString();
    await record('key.enabled', { targetId, accountId });
    await record('keyhole.found', { targetId });
    const actions = async (query: string) => (await items(admin, query)).map(({ action }) => action);
    expect(await actions(`?target=${targetId}`)).toEqual(['keyhole.found', 'key.enabled', 'key.disabled']);
    expect(await actions(`?target=${targetId}&action=key.*`)).toEqual(['key.enabled', 'key.disabled']);
    expect(await actions(`?target=${targetId}&action=key.disabled`)).toEqual(['key.disabled']);
    expect(await actions(`?account_id=${accountId}`)).toEqual(['key.enabled', 'key.disabled']);
    expect(await actions(`?target=${targetId}&to=${middle}`)).toEqual(['key.disabled']);
    expect(await actions(`?target=${targetId}&from=${middle}&actor=test`)).toEqual([
      'keyhole.found',
      'key.enabled',
    ]);
    expect(await actions(`?target=${targetId}&action=%25`)).toEqual([]);
  });

  it('finds actors by a part of their name or e-mail address, and by their id alone', async () => {
    const support = await StaffClient.signedIn(stack, 'support');
    const { id, email } = support.person;
    const [{ name }] = await stack.dataSource.query<[{ name: string }]>(
      'SELECT name FROM staff_auth.member WHERE id = $1',
      [id],
    );
    for (const part of [email.slice(2, -3).toUpperCase(), email, name.slice(0, -1), id]) {
      const found = await items(admin, `?action=staff.signed_in&actor=${encodeURIComponent(part)}`);
      expect(found.map(({ actor }) => actor.id)).toContain(id);
    }
    expect(await items(admin, `?actor_id=${id}`)).toHaveLength(1);
    expect(await items(admin, `?actor_id=${id.slice(1)}`)).toEqual([]);
    expect(await items(admin, '?actor=%25%25')).toEqual([]);
  });

  it('says what those that an event names are called today; what is gone has no name', async () => {
    const { keyId, accountId } = await stack.issueKey({ name: 'production' });
    await record('key.disabled', { targetId: keyId, accountId, actorId: admin.person.id });
    await record('key.disabled', { targetId: randomUUID() });
    const [gone, named] = await items(admin, '?action=key.disabled&limit=2');
    expect(named).toMatchObject({
      names: { actor: expect.any(String), target: 'production', account: expect.any(String) },
    });
    expect(gone).toMatchObject({ names: { actor: null, target: null, account: null } });
  });

  it('pages stay stable while events are added', async () => {
    const targetId = randomUUID();
    for (let i = 0; i < 7; i += 1) await record(`thing.${i}`, { targetId });
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const { body } = await admin.get(`/admin/audit-log?target=${targetId}&limit=2${cursor}`);
      seen.push(...(body.items as Item[]).map(({ action }) => action));
      await record('thing.later', { targetId });
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor as string}`;
    }
    expect(seen).toEqual(['thing.6', 'thing.5', 'thing.4', 'thing.3', 'thing.2', 'thing.1', 'thing.0']);
  });

  it('shows each role its part', async () => {
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const support = await StaffClient.signedIn(stack, 'support');
    const [own, foreign] = [randomUUID(), randomUUID()];
    await record('account.changed', { actorId: manager.person.id, accountId: own });
    await record('account.changed', { accountId: own });
    await record('account.changed', { accountId: foreign });
    await record('voice.opened', { actorId: support.person.id, accountId: foreign });
    const managers = await items(manager);
    expect(
      managers.every(({ actor, target }) => actor.id === manager.person.id || target.account_id === own),
    ).toBe(true);
    expect(managers.filter(({ target }) => target.account_id === own)).toHaveLength(2);
    const supporters = await items(support);
    expect(new Set(supporters.map(({ actor }) => actor.id))).toEqual(new Set([support.person.id]));
    expect(supporters.map(({ action }) => action)).toEqual(['voice.opened', 'staff.signed_in']);
    expect((await items(admin, '?limit=200')).length).toBeGreaterThan(managers.length + supporters.length);
    expect((await support.get('/admin/audit-log/heads')).status).toBe(403);
  });

  it('shows account managers the accounts that they manage, and support each key that it names', async () => {
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const support = await StaffClient.signedIn(stack, 'support');
    const [managed, other] = [await stack.issueKey(), await stack.issueKey()];
    for (const { accountId, keyId: targetId } of [managed, other])
      await record('key.disabled', { accountId, targetId });
    const about = async (staff: StaffClient, { keyId }: { keyId: string }) =>
      (await items(staff, `?target=${keyId}`)).map(({ action }) => action);
    expect(await about(manager, managed)).toEqual([]);
    const body = { staff_id: manager.person.id, reason: 'Hers' };
    await admin.send('PUT', `/admin/accounts/${managed.accountId}/manager`, body, { 'if-match': '*' });
    expect(await about(manager, managed)).toContain('key.disabled');
    expect(await about(manager, other)).toEqual([]);
    expect(await about(support, other)).toContain('key.disabled');
    expect((await items(support, '?action=key.*')).length).toBe(0);
    expect(await items(support, `?target=${other.accountId}`)).toEqual([]);
  });

  it('exports everything as one JSON object a line, and says so in the log', async () => {
    const targetId = randomUUID();
    for (let i = 0; i < 3; i += 1) await record(`thing.${i}`, { targetId });
    const { status, headers, text } = await admin.get(`/admin/audit-log/export?target=${targetId}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/jsonl; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit-log.jsonl"');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Item);
    expect(lines.map(({ action }) => action)).toEqual(['thing.0', 'thing.1', 'thing.2']);
    expect((await items(admin, '?limit=1'))[0]).toMatchObject({ action: 'audit.exported' });
  });

  it('the export of 5,000 events is complete', async () => {
    await stack.dataSource.query(
      `INSERT INTO audit_event (day, seq, at, actor_kind, actor_id, actor_name, action, target_type, target_id, hash)
       SELECT current_date, n, now(), 'system', 'many', 'many', 'thing.many', 'thing', n::text, '' FROM generate_series(100001, 105000) n`,
    );
    const { text } = await admin.get('/admin/audit-log/export?actor=many');
    expect(new Set(text.trimEnd().split('\n')).size).toBe(5_000);
    await stack.asOwner(
      `SET session_replication_role = replica; DELETE FROM audit_event WHERE actor_id = 'many'`,
    );
  });

  it('the chain of everything this file has done is unbroken, and its heads are shown', async () => {
    const verdict = await stack.api.get(AuditLog).verifyChain();
    expect(verdict).toMatchObject({ ok: true });
    const { body } = await admin.get('/admin/audit-log/heads');
    expect(body.items).toEqual((verdict as { heads: unknown }).heads);
  });
});

describe('the chain of each day', () => {
  const today = new Date().toISOString().slice(0, 10);
  const verify = async () => {
    const { status, body } = await admin.get(`/admin/audit-log/verify?from=${today}&to=${today}`);
    expect(status).toBe(200);
    return body.items as { day: string; rows: number; verified: boolean; broken: object | null }[];
  };

  it('is verified, and broken where an event was changed', async () => {
    const [day] = await verify();
    expect(day).toMatchObject({ day: today, verified: true, broken: null });
    await stack.asOwner(`SET session_replication_role = replica;
      UPDATE audit_event SET reason = 'never said' WHERE day = '${today}' AND seq = 3`);
    const broken = { seq: 3, problem: 'the row was changed' };
    expect(await verify()).toEqual([{ day: today, rows: 2, verified: false, broken }]);
    await stack.asOwner(`SET session_replication_role = replica;
      UPDATE audit_event SET reason = NULL WHERE day = '${today}' AND seq = 3`);
    expect(await verify()).toMatchObject([{ verified: true }]);
  });

  it('is broken where the end of the day was cut off', async () => {
    const head = `SELECT seq, hash FROM audit_head WHERE day = '${today}'`;
    const [stored] = await stack.dataSource.query<[{ seq: number; hash: string }]>(head);
    await stack.asOwner(`UPDATE audit_head SET seq = seq + 1 WHERE day = '${today}'`);
    expect(await verify()).toMatchObject([
      { broken: { seq: stored.seq, problem: 'rows are missing after it' } },
    ]);
    await stack.asOwner(`UPDATE audit_head SET seq = seq - 1 WHERE day = '${today}'`);
    expect(await verify()).toMatchObject([{ verified: true, rows: stored.seq }]);
  });

  it('is for those who see the whole log', async () => {
    const manager = await StaffClient.signedIn(stack, 'account_manager');
    const { status } = await manager.get(`/admin/audit-log/verify?from=${today}&to=${today}`);
    expect(status).toBe(403);
  });

  it.each([
    ['from=2026-01-01&to=2026-02-01', 'to'],
    ['from=2026-01-02&to=2026-01-01', 'to'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
    ['from=2026-01-01&to=soon', 'to'],
    ['from=0000-01-01&to=0000-01-02', 'from'],
  ])('refuses %s', async (query, parameter) => {
    const { status, body } = await admin.get(`/admin/audit-log/verify?${query}`);
    expect([status, body.errors]).toMatchObject([422, [{ parameter }]]);
  });
});

describe('422', () => {
  it.each([
    ['from=yesterday', 'from'],
    ['to=2026-13-40', 'to'],
    ['from=1700000000', 'from'],
    ['account_id=1', 'account_id'],
  ])('%s', async (query, parameter) => {
    const { status, body } = await admin.get(`/admin/audit-log?${query}`);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { parameter, given: query.split('=')[1], accepted: expect.any(String) },
    ]);
  });
});
