import { copyPreviews, designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let support: StaffClient;
let key: IssuedKey;
let ids: string[];

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  support = await StaffClient.signedIn(stack, 'support');
  key = await stack.issueKey();
  ids = await designPreviews(stack, key);
  const [chosen, ...rejected] = ids;
  const body = createBody(chosen!, { played_not_selected_voice_ids: rejected });
  await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body });
});

afterAll(async () => {
  await stack.stop();
});

type Items = { generated_voice_id: string; seconds_left: number; voice_id: string | null }[];

describe('previews of an account', () => {
  const list = (query = '') => support.get(`/admin/accounts/${key.accountId}/previews?${query}`);

  it('show what is left of their day, and which became a voice', async () => {
    const { status, body } = await list();
    const items = body.items as Items;
    expect([status, body.total]).toEqual([200, 3]);
    expect(items.map((item) => item.generated_voice_id).sort()).toEqual([...ids].sort());
    for (const { seconds_left } of items) {
      expect(seconds_left).toBeGreaterThan(86_300);
      expect(seconds_left).toBeLessThanOrEqual(86_400);
    }
    expect(items.filter(({ voice_id }) => voice_id !== null)).toHaveLength(1);
  });

  it('leave the list when they expire, unless they became a voice', async () => {
    const [gone] = await copyPreviews(stack, ids[1]!, 1);
    await stack.dataSource.query(
      `UPDATE preview SET expires_at = now() - interval '1 second' WHERE id = ANY ($1)`,
      [[gone, ids[0]]],
    );
    const items = (await list()).body.items as Items;
    expect(items.map((item) => item.generated_voice_id)).not.toContain(gone);
    expect(items.find((item) => item.generated_voice_id === ids[0])?.seconds_left).toBe(0);
  });

  it('come in pages', async () => {
    const first = (await list('limit=2')).body;
    const second = (await list(`limit=2&cursor=${String(first.next_cursor)}`)).body;
    const seen = [...(first.items as Items), ...(second.items as Items)].map(
      (item) => item.generated_voice_id,
    );
    expect([...seen].sort()).toEqual([...ids].sort());
    expect(second.next_cursor).toBeNull();
  });

  it('404: an account that is not there; 403: ops', async () => {
    expect((await support.get('/admin/accounts/nobody/previews')).status).toBe(404);
    const ops = await StaffClient.signedIn(stack, 'ops');
    expect((await ops.get(`/admin/accounts/${key.accountId}/previews`)).status).toBe(403);
  });
});

describe('preferences', () => {
  const lines = async (query = '') => {
    const { headers, text } = await support.get(`/admin/preferences/export?${query}`);
    expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
  };

  it('are exported as chosen over rejected, still complete when the previews are gone', async () => {
    await stack.dataSource.query('DELETE FROM preview WHERE id = ANY ($1)', [ids.slice(1)]);
    const pairs = await lines(`account_id=${key.accountId}`);
    expect(pairs.map(({ rejected }) => rejected!.generated_voice_id).sort()).toEqual(ids.slice(1).sort());
    for (const { description, text, chosen, rejected } of pairs) {
      expect([description, text]).toEqual([expect.any(String), expect.any(String)]);
      expect(chosen).toEqual({ generated_voice_id: ids[0], parameters: expect.any(Object) });
      expect(rejected!.parameters).not.toEqual(chosen!.parameters);
    }
  });

  it('come whole, one line each, and that they were taken away is audited', async () => {
    await stack.dataSource.query(
      `INSERT INTO preview_preference (chosen_preview_id, rejected_preview_id, voice_id, account_id, description)
       SELECT 'chosen', n, 'voice', gen_random_uuid(), 'A description' FROM generate_series(1, 2500) n`,
    );
    expect(await lines()).toHaveLength(2_502);
    const [event] = await stack.dataSource.query<{ actor_id: string }[]>(
      `SELECT actor_id FROM audit_event WHERE action = 'preferences.exported' ORDER BY id DESC LIMIT 1`,
    );
    expect(event!.actor_id).toBe(support.person.id);
  });
});
