import { Stack } from '../support/stack';
import { ANY_VERSION, StaffClient } from '../support/staff-client';

const stack = Stack.ofFile({ worker: false });
const admin = StaffClient.ofFile(stack, 'admin');

const reason = 'A test';
const namesIn = async (path: string) => (await admin.get(path)).body.staff_names;
const own = () => ({ [admin.person.email]: admin.person.email.split('@')[0] });

describe('a response to staff', () => {
  it('says what those are called whose addresses it has', async () => {
    const { accountId, keyId } = await stack.issueKey({ tier: 'enterprise' });
    const account = `/admin/accounts/${accountId}`;
    const list = `/admin/api-keys/${keyId}/allowed-ips`;
    const put = (path: string, body: object) =>
      admin.send('PUT', path, { ...body, reason }, { 'if-match': '*' });
    expect((await put(`${account}/ip-allow-list-entitlement`, { enabled: true })).body).toMatchObject({
      ip_allow_list: { changed_by: admin.person.email },
      staff_names: own(),
    });
    const { body } = await put(list, { text: '127.0.0.1', undo_after_minutes: 60 });
    expect(body).toMatchObject({ entries: [{ added_by: admin.person.email }], staff_names: own() });
    expect(await namesIn(list)).toEqual(own());
    await admin.post(`${account}/credits`, { kind: 'prepaid', amount: 10, reason }, ANY_VERSION);
    expect(await namesIn(`${account}/credits`)).toEqual(own());
    await put(`${account}/manager`, { staff_id: admin.person.id });
    expect(await namesIn(`/admin/audit-log?account_id=${accountId}`)).toEqual(own());
    await admin.post('/admin/queues/voice-review/pause', { reason });
    expect(await namesIn('/admin/queues')).toEqual(own());
    await admin.post('/admin/queues/voice-review/resume', { reason });
  });

  it('names members of staff alone, and has no names without their addresses', async () => {
    const entry = { list: 'protected_names', text: 'Someone Famous', reason };
    const { body } = await admin.post('/admin/screening/entries', entry);
    expect(body.staff_names).toEqual(own());
    expect(await namesIn('/admin/screening')).toEqual(own());
    await stack.dataSource.query('UPDATE screening_entry SET added_by = $1', ['former@example.com']);
    expect(await namesIn('/admin/screening')).toBeUndefined();
    expect(await namesIn('/admin/staff')).toBeUndefined();
  });
});
