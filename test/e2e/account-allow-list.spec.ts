import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from '../../apps/api/src/http/problem-json';
import { TrafficRecorder } from '../../apps/api/src/observed-traffic/traffic-recorder';
import { AllowListPresets } from '../../libs/administration/allow-lists/allow-list-presets.service';
import { PresetWatchService } from '../../libs/administration/allow-lists/preset-watch.service';
import { AuditedChanges } from '../../libs/administration/audit/audited-changes';
import { AllowListPresetRepository } from '../../libs/database/keys/allow-list-preset.repository';
import { AllowListRepository } from '../../libs/database/keys/allow-list.repository';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';

let stack: Stack;
let manager: StaffClient;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-presets-'));
  stack = await Stack.start({ env: { TRUSTED_PROXIES: '127.0.0.1', ALLOW_LIST_PRESETS_DIR: folder } });
  manager = await StaffClient.signedIn(stack, 'account_manager');
});

afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

const reason = 'Ticket 4711';
const ANY = { 'if-match': '*' };
const OFFICE = '203.0.113.10';
const AGENCY = '198.51.100.7';
const code = ({ body }: StaffResponse) => (body as unknown as Problem).code;
const pathOf = ({ accountId }: IssuedKey) => `/admin/accounts/${accountId}/allowed-ips`;

async function callFrom({ secret }: IssuedKey, address: string): Promise<number> {
  const headers = { 'x-forwarded-for': address };
  return (await stack.request('GET', '/v1/models', { secret, headers })).status;
}

/** Two keys of an account that may have lists. */
async function twoKeys(): Promise<[IssuedKey, IssuedKey]> {
  const first = await stack.issueKey({ tier: 'enterprise' });
  const entitlement = { enabled: true, reason };
  const path = `/admin/accounts/${first.accountId}/ip-allow-list-entitlement`;
  expect((await manager.send('PUT', path, entitlement, ANY)).status).toBe(200);
  return [first, await stack.issueKey({ accountId: first.accountId })];
}

const place = (key: IssuedKey, body: object) =>
  manager.send('PUT', pathOf(key), { confirm: true, reason, ...body }, ANY);

it('holds for every key of the account at once; where a key has a list too, both must let the address in', async () => {
  const [one, other] = await twoKeys();
  const placed = await place(one, { text: `${OFFICE} # the office\n${AGENCY}` });
  expect(placed).toMatchObject({
    status: 200,
    body: {
      owner: { kind: 'account', id: one.accountId },
      key_id: null,
      status: 'enforced',
      entries: [{ cidr: `${AGENCY}/32` }, { cidr: `${OFFICE}/32`, note: 'the office' }],
      receipt: { processes: 1, acknowledged: 1 },
    },
  });
  expect(placed.headers.get('etag')).toBe(`"v${String(placed.body.version)}"`);
  for (const key of [one, other])
    expect([await callFrom(key, OFFICE), await callFrom(key, '192.0.2.9')]).toEqual([200, 403]);

  const list = { text: OFFICE, confirm: true, reason };
  await manager.send('PUT', `/admin/api-keys/${one.keyId}/allowed-ips`, list, ANY);
  expect([await callFrom(one, AGENCY), await callFrom(other, AGENCY)]).toEqual([403, 200]);
  await place(one, { text: AGENCY });
  expect([await callFrom(one, OFFICE), await callFrom(one, AGENCY), await callFrom(other, AGENCY)]).toEqual([
    403, 403, 200,
  ]);
  await place(one, { entries: null });
  expect([await callFrom(one, OFFICE), await callFrom(other, '192.0.2.9')]).toEqual([200, 200]);
});

it('explain says which of the lists refuses', async () => {
  const [key] = await twoKeys();
  await place(key, { text: AGENCY });
  const list = { text: OFFICE, confirm: true, reason };
  await manager.send('PUT', `/admin/api-keys/${key.keyId}/allowed-ips`, list, ANY);
  const explained = async (address: string) => {
    const request = { address, method: 'GET', path: '/v1/models' };
    const { body } = await manager.post(`/admin/api-keys/${key.keyId}/explain`, request);
    return (body.gates as { gate: string; rule: string; passed: boolean }[]).find(
      ({ gate }) => gate === 'ip',
    );
  };
  expect(await explained(OFFICE)).toMatchObject({
    passed: false,
    rule: `${OFFICE} is let in by the entry ${OFFICE}/32. ${OFFICE} is not on the allow-list of the account (1 entry).`,
    change: expect.stringContaining('allow-list of the account'),
  });
  expect(await explained(AGENCY)).toMatchObject({
    rule: expect.stringContaining(`is not on the allow-list (1 entry). ${AGENCY} is let in by the account's`),
  });
});

it('is tried against the requests of all keys, and suggested from them', async () => {
  const [one, other] = await twoKeys();
  await callFrom(one, OFFICE);
  await callFrom(other, AGENCY);
  await stack.api.get(TrafficRecorder).flush();
  const { body: observed } = await manager.get(`${pathOf(one)}/observed?days=1`);
  const addresses = [OFFICE, AGENCY].map((address) => expect.objectContaining({ address, requests: 1 }));
  expect(observed).toEqual({ days: 1, total: 2, addresses: expect.arrayContaining(addresses) });
  const tried = await manager.post(`${pathOf(one)}/dry-run`, { text: OFFICE });
  expect(tried.body).toMatchObject({
    requests: 2,
    would_refuse: 1,
    would_refuse_addresses: [{ address: AGENCY }],
  });
  const unconfirmed = await place(one, { text: OFFICE, confirm: false });
  expect([unconfirmed.status, code(unconfirmed)]).toEqual([409, 'confirmation_required']);
  const suggested = await manager.post(`${pathOf(one)}/suggest`, {});
  expect(suggested.body).toMatchObject({ requests: 2, covered: 2 });
});

it('is undone by its timer unless it is kept, with sentences in the audit log', async () => {
  const [key] = await twoKeys();
  await place(key, { text: OFFICE, undo_after_minutes: 60 });
  expect((await manager.post(`${pathOf(key)}/keep`, { reason }, ANY)).body).toMatchObject({
    undo: { due_at: null },
  });
  await place(key, { text: AGENCY, undo_after_minutes: 60 });
  await stack.asOwner(`UPDATE key_undo SET due_at = now() WHERE subject_id = $1`, [key.accountId]);
  await eventually(async () => expect(await callFrom(key, OFFICE)).toBe(200));
  expect((await manager.post(`${pathOf(key)}/undo`, { reason }, ANY)).body).toMatchObject({
    entries: [{ cidr: `${AGENCY}/32` }],
  });
  const events = await stack.dataSource.query<{ action: string }[]>(
    `SELECT action FROM audit_event WHERE target_id = $1 AND action LIKE 'account.allow_list%' ORDER BY id`,
    [key.accountId],
  );
  expect(events.map(({ action }) => action)).toEqual([
    'account.allow_list_changed',
    'account.allow_list_kept',
    'account.allow_list_changed',
    'account.allow_list_undone',
    'account.allow_list_undone',
  ]);
});

it('refuses an account that is unknown or not entitled, another version, and entries with mistakes', async () => {
  const key = await stack.issueKey({ tier: 'enterprise' });
  expect(code(await place(key, { text: OFFICE }))).toBe('feature_not_available');
  for (const id of ['00000000-0000-4000-8000-000000000000', 'x'])
    for (const response of [
      await manager.get(`/admin/accounts/${id}/allowed-ips`),
      await manager.get(`/admin/accounts/${id}/allowed-ips/observed`),
      await manager.post(`/admin/accounts/${id}/allowed-ips/dry-run`, { text: OFFICE }),
      await place({ ...key, accountId: id }, { text: OFFICE }),
    ])
      expect(code(response)).toBe('account_not_found');
  const [listed] = await twoKeys();
  const stale = await manager.send('PUT', pathOf(listed), { text: OFFICE, reason }, { 'if-match': '"v99"' });
  expect(code(stale)).toBe('precondition_failed');
  const mistaken = await place(listed, { entries: [{ address: '203.0.113.5/24' }] });
  expect((mistaken.body as unknown as Problem).errors).toMatchObject([
    { pointer: '#/entries/0/address', accepted: '203.0.113.0/24' },
  ]);
});

it('presets are read from their files again when they change; one that is broken or gone keeps the blocks it had', async () => {
  const presets = async () => (await manager.get('/admin/allow-list-presets')).body.items;
  writeFileSync(join(folder, 'runners.txt'), '192.0.2.0/24 # ours');
  writeFileSync(join(folder, 'cloud.json'), JSON.stringify({ prefixes: [{ ip_prefix: '198.51.100.0/24' }] }));
  writeFileSync(join(folder, 'not a preset.sh'), 'echo');
  const cloud = { name: 'cloud', blocks: ['198.51.100.0/24'] };
  expect(await presets()).toMatchObject([
    { ...cloud, problem: null },
    { name: 'runners', blocks: ['192.0.2.0/24'], problem: null },
  ]);
  writeFileSync(join(folder, 'runners.txt'), '192.0.2.0/24\n203.0.113.0/24\n');
  utimesSync(join(folder, 'runners.txt'), 2_000_000_000, 2_000_000_000);
  writeFileSync(join(folder, 'cloud.json'), '{"prefixes": [');
  utimesSync(join(folder, 'cloud.json'), 2_000_000_000, 2_000_000_000);
  expect(await presets()).toMatchObject([
    { ...cloud, problem: 'it is not JSON that can be read' },
    { name: 'runners', blocks: ['192.0.2.0/24', '203.0.113.0/24'], problem: null },
  ]);
  rmSync(join(folder, 'cloud.json'));
  expect(await presets()).toMatchObject([{ ...cloud, problem: 'its file is gone' }, { name: 'runners' }]);
});

it('what becomes of the file of a preset is in the audit log once, and its blocks outlive the process that has read them', async () => {
  const file = join(folder, 'watched.txt');
  const write = (text: string, at: number) => {
    writeFileSync(file, text);
    utimesSync(file, at, at);
  };
  const operator = await StaffClient.signedIn(stack, 'admin');
  const check = async () =>
    expect((await operator.post('/admin/timers/preset-watch/run', { reason })).status).toBe(200);
  const events = () =>
    stack.dataSource.query<object[]>(
      `SELECT action, actor_name AS actor, before, after FROM audit_event
       WHERE target_type = 'allow_list_preset' AND target_id = 'watched' ORDER BY id`,
    );
  const added = { action: 'allow_list_preset.added', actor: 'preset-watch', after: { blocks: 2 } };
  const changed = {
    action: 'allow_list_preset.changed',
    before: { blocks: 2 },
    after: { blocks: 2, added: ['203.0.113.0/24'], removed: ['198.51.100.0/24'] },
  };
  const failed = { action: 'allow_list_preset.failed', after: { problem: 'it names no block' } };
  write('192.0.2.0/24\n198.51.100.0/24', 1_900_000_000);
  await check();
  await eventually(async () => expect(await events()).toMatchObject([added]));
  write('192.0.2.0/24\n203.0.113.0/24', 1_900_000_001);
  await check();
  await eventually(async () => expect(await events()).toMatchObject([added, changed]));
  write('192.0.2.0/24\n203.0.113.0/24 # only touched', 1_900_000_002);
  await check();
  write('', 1_900_000_003);
  await check();
  await eventually(async () => expect(await events()).toMatchObject([added, changed, failed]));

  const again = () => {
    const lists = new AllowListRepository(stack.dataSource);
    const stored = new AllowListPresetRepository(stack.dataSource);
    const presets = new AllowListPresets(stack.config, lists, stored);
    return { presets, watch: new PresetWatchService(presets, stored, stack.api.get(AuditedChanges)) };
  };
  const { presets, watch } = again();
  expect((await presets.list()).find(({ name }) => name === 'watched')).toMatchObject({
    blocks: ['192.0.2.0/24', '203.0.113.0/24'],
    problem: 'it names no block',
  });
  expect(await watch.check()).toBe(0);
  write('192.0.2.0/24', 1_800_000_000);
  expect(await again().watch.check()).toBe(0);
  expect(await watch.check()).toBe(1);
  expect(await again().watch.check()).toBe(0);
  expect((await events()).at(-1)).toMatchObject({
    action: 'allow_list_preset.changed',
    before: { blocks: 2, problem: 'it names no block' },
    after: { blocks: 1, added: [], removed: ['203.0.113.0/24'] },
  });
});

it('lists that have a preset as it was earlier are named until they have it as it is now', async () => {
  const change = (blocks: string, at: number) => {
    writeFileSync(join(folder, 'offices.txt'), blocks);
    utimesSync(join(folder, 'offices.txt'), at, at);
  };
  const [one, other] = await twoKeys();
  const outdated = async () => {
    const { body } = await manager.get('/admin/allow-list-presets');
    const items = body.items as { name: string; outdated_lists: number; outdated: object[] }[];
    const { outdated_lists: count, outdated: lists } = items.find(({ name }) => name === 'offices')!;
    return [count, lists];
  };
  change(`${OFFICE}/32`, 1_900_000_000);
  await place(one, { text: `${OFFICE}/32 # preset offices\n192.0.2.77 # ours` });
  const ofKey = `/admin/api-keys/${other.keyId}/allowed-ips`;
  const list = { text: `${OFFICE}/32 # preset offices`, confirm: true, reason };
  expect((await manager.send('PUT', ofKey, list, ANY)).status).toBe(200);
  expect(await outdated()).toEqual([0, []]);
  change(`${OFFICE}/32\n${AGENCY}/32`, 1_900_000_001);
  expect(await outdated()).toEqual([
    2,
    [
      expect.objectContaining({ kind: 'account', id: one.accountId }),
      expect.objectContaining({ kind: 'key', id: other.keyId }),
    ],
  ]);
  await place(one, { text: `${OFFICE}/32 # preset offices\n${AGENCY}/32 # preset offices` });
  await manager.send('PUT', ofKey, { ...list, text: `${OFFICE}/32 # ours now` }, ANY);
  expect(await outdated()).toEqual([0, []]);
});
