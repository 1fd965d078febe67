import { Stack } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';

let stack: Stack;
let admin: StaffClient;
let voiceId: string;
let accountId: string;
let itemId: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  admin = await StaffClient.signedIn(stack, 'admin');
  accountId = await stack.openAccount('pro');
  voiceId = await storeVoice(stack, { accountId, enqueue: false });
});

afterAll(async () => {
  await stack.stop();
});

const reason = 'A test';
const RULES = {
  max_lifetime_days: 90,
  rotation_age_days: null,
  idle_warn_days: null,
  idle_disable_days: null,
};
const versionOf = (value: unknown) => ({ 'if-match': `"v${String(value)}"` });
const voiceVersion = async () => ({
  'if-match': (await admin.get(`/admin/voices/${voiceId}`)).headers.get('etag')!,
});
const policyOf = async (path: string) =>
  (await admin.get(path)).body.policy as { version: number; account_id: string | null } | null;
const entry = async () => {
  const { body } = await admin.get('/admin/screening');
  return (body.items as { id: string; version: number }[])[0]!;
};

const deskItem = async () => {
  const { body } = await admin.get(`/admin/review-desk/${itemId}`);
  return body as { id: string; version: number };
};

interface Place {
  /** The version that a reader has seen. */
  read: () => Promise<Record<string, string>>;
  change: (value: number, headers: Record<string, string>) => Promise<StaffResponse>;
}

const PLACES: Record<string, Place> = {
  'the tags of a voice': {
    read: voiceVersion,
    change: (value, headers) =>
      admin.send('PUT', `/admin/voices/${voiceId}/tags`, { tags: [`t${value}`] }, headers),
  },
  'the aliases of a voice': {
    read: voiceVersion,
    change: (value, headers) => {
      const aliases = [String(value).padStart(20, '0')];
      return admin.send('PUT', `/admin/voices/${voiceId}/aliases`, { aliases, reason }, headers);
    },
  },
  'the safety of a voice': {
    read: voiceVersion,
    change: (value, headers) =>
      admin.send(
        'PUT',
        `/admin/voices/${voiceId}/safety`,
        { state: 'held', notice: `Note ${value}`, reason },
        headers,
      ),
  },
  'the policy of an account': {
    read: async () => {
      const policy = await policyOf(`/admin/accounts/${accountId}/key-policy`);
      return versionOf(policy?.version ?? 0);
    },
    change: (value, headers) => {
      const rules = { ...RULES, max_lifetime_days: 100 + value, reason };
      return admin.send('PUT', `/admin/accounts/${accountId}/key-policy`, rules, headers);
    },
  },
  'the policy of a tier': {
    read: async () => {
      const { body } = await admin.get('/admin/key-policies');
      const found = (body.items as { tier: string | null; version: number }[]).find(
        ({ tier }) => tier === 'scale',
      );
      return versionOf(found?.version ?? 0);
    },
    change: (value, headers) => {
      const rules = { ...RULES, max_lifetime_days: 100 + value, reason };
      return admin.send('PUT', '/admin/key-policies/scale', rules, headers);
    },
  },
  'an entry of a screening list': {
    read: async () => versionOf((await entry()).version),
    change: async (value, headers) => {
      const path = `/admin/screening/entries/${(await entry()).id}`;
      return admin.send('PUT', path, { text: `forbidden ${value}`, reason }, headers);
    },
  },
  'whether the list of profane words counts': {
    read: async () => versionOf((await admin.get('/admin/screening')).body.profanity_version),
    change: (value, headers) =>
      admin.send('PUT', '/admin/screening/profanity', { enabled: value % 2 === 1, reason }, headers),
  },
  'who an item of the review desk is assigned to': {
    read: async () => versionOf((await deskItem()).version),
    change: async (value, headers) => {
      const staff_id = value % 2 === 1 ? admin.person.id : null;
      return admin.send('PUT', `/admin/review-desk/${(await deskItem()).id}/assignee`, { staff_id }, headers);
    },
  },
  'until when an item of the review desk is snoozed': {
    read: async () => versionOf((await deskItem()).version),
    change: async (value, headers) => {
      const body = { minutes: value, note: reason };
      return admin.post(`/admin/review-desk/${(await deskItem()).id}/snooze`, body, headers);
    },
  },
};

beforeAll(async () => {
  const added = { list: 'blocked_words', text: 'forbidden', reason };
  expect((await admin.post('/admin/screening/entries', added)).status).toBe(201);
  const { body } = await admin.post('/admin/review-desk', { voice_id: voiceId, reason });
  itemId = String(body.id);
});

it.each(Object.entries(PLACES))(
  'of two people who change %s from the same version, the second is refused, and so is one who says no version',
  async (_, { read, change }) => {
    const seen = await read();
    const statuses = [await change(1, seen), await change(2, seen), await change(3, await read())];
    expect(statuses.map(({ status }) => status)).toEqual([200, 412, 200]);
    expect((await change(4, {})).status).toBe(428);
  },
);

it('a policy is applied as it was read', async () => {
  for (const path of [`/admin/accounts/${accountId}/key-policy`, '/admin/key-policies/scale']) {
    const apply = (headers: Record<string, string>) =>
      admin.post(`${path}/apply`, { confirm: '0', reason }, headers);
    expect([path, (await apply({})).status, (await apply(versionOf(1))).status]).toEqual([path, 428, 412]);
  }
});

it.each([
  ['PUT', 'tags', { tags: ['etag'] }],
  ['PUT', 'aliases', { aliases: ['e'.repeat(20)], reason }],
  ['PUT', 'safety', { state: 'held', notice: 'Another', reason }],
  ['POST', 'cancel', { reason }],
  ['POST', 're-review', { reason }],
])('the ETag of a voice fits a change of it: %s %s', async (method, path, body) => {
  const version = await voiceVersion();
  const changed = await admin.send(method, `/admin/voices/${voiceId}/${path}`, body, version);
  expect(changed.status).toBeLessThan(300);
  expect(changed.headers.get('etag')).toBe((await voiceVersion())['if-match']);
  expect(changed.headers.get('etag')).not.toBe(version['if-match']);
});

it('sharing and removing are held to it, too', async () => {
  const stale = versionOf(1);
  const sharing = admin.send('PUT', `/admin/voices/${voiceId}/sharing`, { shared: true, reason }, stale);
  expect((await sharing).status).toBe(412);
  for (const path of [
    `/admin/accounts/${accountId}/key-policy`,
    '/admin/key-policies/scale',
    `/admin/screening/entries/${(await entry()).id}`,
  ])
    expect([path, (await admin.send('DELETE', path, { reason }, stale)).status]).toEqual([path, 412]);
});
