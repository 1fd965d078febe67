import type { ProblemPart } from '../../apps/api/src/http/problem-json';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let admin: StaffClient;
/** An account and a key of it, for all. */
let ids: { accountId: string; keyId: string };

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  admin = await StaffClient.signedIn(stack, 'admin');
  ids = await stack.issueKey();
});

afterAll(async () => {
  await stack.stop();
});

const reason = 'A test';
const ANY = { 'if-match': '*' };
const key = () => `/admin/api-keys/${ids.keyId}`;
const account = () => `/admin/accounts/${ids.accountId}`;
const query = (path: () => string, name: string) => (time: string) =>
  admin.get(`${path()}?${name}=${encodeURIComponent(time)}`);

/** Where a staff member gives a time, and the field. */
const PLACES: [place: string, field: string, send: (time: string) => ReturnType<StaffClient['get']>][] = [
  [
    'a new key',
    'expires_at',
    (time) =>
      admin.post(`${account()}/api-keys`, { name: 'new', permissions: 'all', expires_at: time, reason }),
  ],
  ['a key', 'expires_at', (time) => admin.patch(key(), { expires_at: time, reason }, ANY)],
  [
    'a change of many keys',
    'expires_at',
    (time) => {
      const edit = { action: 'set_expiry', expires_at: time, reason, confirm: '1' };
      return admin.post(`/admin/bulk-key-changes?ids=${ids.keyId}`, edit);
    },
  ],
  [
    'an entry of a list',
    'ends_at',
    (time) => {
      const entries = [{ address: '203.0.113.9', ends_at: time }];
      return admin.send('PUT', `${key()}/allowed-ips`, { entries, reason }, ANY);
    },
  ],
  [
    'a finding',
    'until',
    (time) => admin.post(`${key()}/findings/no_expiry/accept`, { until: time, reason }, ANY),
  ],
  ['keys by their last use', 'unused_since', query(() => '/admin/api-keys', 'unused_since')],
  ['keys by their expiry', 'expiring_before', query(() => '/admin/api-keys', 'expiring_before')],
  ['voices', 'created_since', query(() => '/admin/voices', 'created_since')],
  ['the audit log', 'from', query(() => '/admin/audit-log', 'from')],
  ['the audit log', 'to', query(() => '/admin/audit-log', 'to')],
  ['the ledger', 'from', query(() => `${account()}/ledger`, 'from')],
  ['the ledger', 'period', query(() => `${account()}/ledger`, 'period')],
  ['messages of alerts', 'to', query(() => '/admin/alert-messages', 'to')],
];

describe('422, with the field, for a time that does not exist', () => {
  it.each(PLACES)('of %s in %s', async (_, field, send) => {
    for (const time of [
      '2030-02-30',
      '2030-02-30T12:00:00Z',
      '2030-01-31T24:00:00Z',
      '2030-06-30T23:59:60Z',
    ]) {
      const { status, body, text } = await send(time);
      expect([time, status, text]).toEqual([time, 422, expect.stringContaining('There is no such time.')]);
      const [problem] = body.errors as ProblemPart[];
      const place = problem!.parameter ?? problem!.pointer?.split('/').at(-1);
      expect([place, problem!.given]).toEqual([field, time]);
    }
  });
});
