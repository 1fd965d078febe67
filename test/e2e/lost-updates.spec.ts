import { Stack } from '../support/stack';
import { StaffClient, type StaffResponse } from '../support/staff-client';
import { storeVoice } from '../support/stored-voices';

let stack: Stack;
let admin: StaffClient;
let voiceId: string;
let accountId: string;

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
const voiceVersion = async () =>
  versionOf((await admin.get(`/admin/voices/${voiceId}`)).body.curation_version);
const policyOf = async (path: string) =>
  (await admin.get(path)).body.policy as { version: number; account_id: string | null } | null;
const entry = async () => {
  const { body } = await admin.get('/admin/screening');
  return (body.items as { id: string; version: number }[])[0]!;
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
};

beforeAll(async () => {
  const added = { list: 'blocked_words', text: 'forbidden', reason };
  expect((await admin.post('/admin/screening/entries', added)).status).toBe(201);
});

it.each(Object.entries(PLACES))(
  'of two people who change %s from the same version, the second is told',
  async (_, { read, change }) => {
    const seen = await read();
    const statuses = [await change(1, seen), await change(2, seen), await change(3, await read())];
    expect(statuses.map(({ status }) => status)).toEqual([200, 412, 200]);
    expect((await change(4, {})).status).toBe(200);
  },
);

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
