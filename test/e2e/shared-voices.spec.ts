import type { SharedVoicesResponse } from '../../apps/api/src/shared-voices/shared-voice.dto';
import { makeVoice } from '../support/previews';
import { TEXT } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';
import { ANY_VERSION, StaffClient } from '../support/staff-client';
import { waitForReview } from '../support/stored-voices';

const reason = 'A test';

let stack: Stack;
let admin: StaffClient;
let owner: IssuedKey;
let other: IssuedKey;
let voiceId: string;

beforeAll(async () => {
  stack = await Stack.start();
  admin = await StaffClient.signedIn(stack, 'admin');
  owner = await stack.issueKey({ tier: 'pro' });
  other = await stack.issueKey({ tier: 'pro' });
  ({ voiceId } = await makeVoice(stack, owner.secret));
  await waitForReview(stack, voiceId, 'completed');
});

afterAll(async () => {
  await stack.stop();
});

const share = (shared: boolean, id = voiceId, client = admin) =>
  client.send('PUT', `/admin/voices/${id}/sharing`, { shared, reason }, ANY_VERSION);
const list = async (query = '', { secret } = other) => {
  const { status, body } = await stack.request('GET', `/v1/shared-voices${query}`, { secret });
  expect(status).toBe(200);
  return body as unknown as SharedVoicesResponse;
};
const speak = ({ secret } = other) =>
  stack.request('POST', `/v1/text-to-speech/${voiceId}`, { secret, body: { text: TEXT } });

async function actionsOf(id: string): Promise<string[]> {
  const rows = await stack.dataSource.query<{ action: string }[]>(
    'SELECT action FROM audit_event WHERE target_id = $1 ORDER BY id',
    [id],
  );
  return rows.map(({ action }) => action);
}

it('the catalogue is empty, and another account cannot let a voice speak', async () => {
  expect(await list()).toEqual({ voices: [], has_more: false, total_count: 0, last_sort_id: null });
  expect((await speak()).status).toBe(404);
});

describe('a shared voice', () => {
  beforeAll(async () => {
    expect((await share(true)).status).toBe(200);
  });

  it('is listed for every account, without anything of its owner', async () => {
    const { voices, total_count } = await list();
    expect(total_count).toBe(1);
    expect(voices[0]).toMatchObject({
      voice_id: voiceId,
      public_owner_id: 'platform',
      category: 'generated',
    });
    expect(JSON.stringify(voices)).not.toContain(owner.accountId);
    expect(JSON.stringify(voices)).not.toContain(owner.keyId);
  });

  it('is added to an account once, under a name of its own, takes a slot, and can be deleted', async () => {
    const add = (new_name: string, { secret } = other, path = `platform/${voiceId}`) =>
      stack.request('POST', `/v1/voices/add/${path}`, { secret, body: { new_name } });
    const added = await add('Ours');
    expect(added.status).toBe(200);
    const id = added.body.voice_id as string;
    expect(id).not.toBe(voiceId);
    expect((await add('Ours again')).body.voice_id).toBe(id);
    expect((await add('Its own', owner)).body.voice_id).toBe(voiceId);
    const { body: voice } = await stack.request('GET', `/v1/voices/${id}`, other);
    expect(voice).toMatchObject({ name: 'Ours', category: 'generated' });
    await waitForReview(stack, id, 'completed');
    const spoken = await stack.request('POST', `/v1/text-to-speech/${id}`, {
      ...other,
      body: { text: TEXT },
    });
    expect(spoken.status).toBe(200);
    const full = await stack.issueKey({ tier: 'free' });
    await stack.dataSource.query('UPDATE account SET voice_limit = 0 WHERE id = $1', [full.accountId]);
    expect((await add('Too many', full)).body.detail).toMatchObject({ code: 'voice_limit_reached' });
    for (const path of [`someone/${voiceId}`, `platform/${'x'.repeat(20)}`, `platform/${id}`])
      expect((await add('Unknown', owner, path)).status).toBe(404);
    expect((await add('')).status).toBe(422);
    expect((await stack.request('DELETE', `/v1/voices/${id}`, other)).status).toBe(200);
    expect((await stack.request('GET', `/v1/voices/${voiceId}`, owner)).status).toBe(200);
  });

  it('what an account has added is taken down and released with it', async () => {
    const body = { new_name: 'Followed' };
    const added = await stack.request('POST', `/v1/voices/add/platform/${voiceId}`, { ...other, body });
    const id = added.body.voice_id as string;
    const text = { ...other, body: { text: TEXT } };
    const codes = async () => {
      const spoken = await stack.request('POST', `/v1/text-to-speech/${id}`, text);
      const { body: voice } = await stack.request('GET', `/v1/voices/${id}`, other);
      return [spoken.status, spoken.body.detail?.code, voice.safety_control, voice.preview_url === null];
    };
    const decide = (state: string) =>
      admin.send('PUT', `/admin/voices/${voiceId}/safety`, { state, notice: 'A claim', reason }, ANY_VERSION);
    expect((await decide('taken_down')).status).toBe(200);
    expect(await codes()).toEqual([403, 'voice_held', 'BAN', true]);
    const again = await stack.request('POST', `/v1/voices/add/platform/${voiceId}`, { ...other, body });
    expect([again.status, await actionsOf(id)]).toEqual([403, ['voice.taken_down']]);
    expect((await decide('released')).status).toBe(200);
    expect(await codes()).toEqual([200, undefined, null, false]);
    expect((await stack.request('DELETE', `/v1/voices/${id}`, other)).status).toBe(200);
    await share(true);
  });

  it("can be listened to and speaks for them, and stays its owner's in everything else", async () => {
    const { preview_url: url } = (await list()).voices[0]!;
    const audio = await fetch(url);
    expect([audio.status, audio.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    expect((await speak()).status).toBe(200);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/settings/edit'],
    ] as const) {
      const body = method === 'POST' ? { speed: 1.1 } : undefined;
      const { status } = await stack.request(method, `/v1/voices/${voiceId}${path}`, {
        secret: other.secret,
        body,
      });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
  });

  it('is found by what it is like', async () => {
    const { voices } = await list();
    const [word] = voices[0]!.name.toLowerCase().split(' ');
    expect((await list(`?search=${word}`)).total_count).toBe(1);
    expect((await list(`?language=${voices[0]!.language}`)).total_count).toBe(1);
    for (const query of [
      'search=zzz',
      'gender=none',
      'category=professional',
      'featured=true',
      'owner_id=me',
    ]) {
      expect([query, (await list(`?${query}`)).total_count]).toEqual([query, 0]);
    }
    expect((await list('?page=1')).voices).toEqual([]);
  });

  it('the audit log has who shared it and why, once', async () => {
    await share(true);
    expect((await actionsOf(voiceId)).filter((action) => action === 'voice.shared')).toHaveLength(1);
  });

  it('leaves the catalogue when its account describes it differently', async () => {
    const { status } = await stack.request('POST', `/v1/voices/${voiceId}/edit`, {
      secret: owner.secret,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=Something+else+entirely',
    });
    expect(status).toBe(200);
    expect((await list()).voices).toEqual([]);
    expect((await speak()).status).toBe(404);
    await share(true);
  });

  it('leaves it when it is no longer shared, with the URLs that were given away', async () => {
    const { preview_url: url } = (await list()).voices[0]!;
    await share(false);
    expect((await list()).voices).toEqual([]);
    expect((await speak()).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
    expect((await speak(owner)).status).toBe(200);
    expect(await actionsOf(voiceId)).toContain('voice.unshared');
  });
});

describe('403', () => {
  it.each(['support', 'account_manager', 'ops'] as const)('%s may not share', async (role) => {
    const client = await StaffClient.signedIn(stack, role);
    expect((await share(true, voiceId, client)).status).toBe(403);
    expect((await list()).voices).toEqual([]);
  });
});

describe('404', () => {
  it.each(['x'.repeat(20), 'no-id'])('the voice %s', async (id) => {
    expect((await share(true, id)).status).toBe(404);
  });
});

describe('409', () => {
  it("a voice of recordings, whose consent is one account's; and one that is not reviewed", async () => {
    const created = await makeVoice(stack, owner.secret);
    await waitForReview(stack, created.voiceId, 'completed');
    await stack.dataSource.query("UPDATE voice SET engine = 'recording' WHERE id = $1", [created.voiceId]);
    const recorded = await share(true, created.voiceId);
    expect([recorded.status, recorded.body]).toEqual([
      409,
      expect.objectContaining({ code: 'voice_not_shareable' }),
    ]);
    await stack.dataSource.query("UPDATE voice SET review_state = 'stalled' WHERE id = $1", [voiceId]);
    expect((await share(true)).status).toBe(409);
    await stack.dataSource.query("UPDATE voice SET review_state = 'completed' WHERE id = $1", [voiceId]);
  });
});

describe('422', () => {
  it.each(['page_size=0', 'page_size=101', 'page=-1', 'category=own', 'sort=best'])('%s', async (query) => {
    const { status } = await stack.request('GET', `/v1/shared-voices?${query}`, { secret: other.secret });
    expect(status).toBe(422);
  });

  it('sharing without a reason', async () => {
    expect(
      (await admin.send('PUT', `/admin/voices/${voiceId}/sharing`, { shared: true }, ANY_VERSION)).status,
    ).toBe(422);
  });
});
