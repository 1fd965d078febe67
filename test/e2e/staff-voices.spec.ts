import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '../../apps/api/src/http/pagination';
import type { Problem } from '../../apps/api/src/http/problem-json';
import type { ComparisonResponse } from '../../apps/api/src/reviews/staff-review.dto';
import type { StaffVoiceResponse, StaffVoiceDetailResponse } from '../../apps/api/src/voices/staff-voice.dto';
import { onnxModel } from '../support/audio/onnx-model';
import { designPreviews } from '../support/previews';
import { DESCRIPTION } from '../support/samples';
import { Stack } from '../support/stack';
import { ANY_VERSION, StaffClient, type StaffResponse } from '../support/staff-client';
import { speechFile, storeVoice, waitForReview } from '../support/stored-voices';

let stack: Stack;
let support: StaffClient;
let manager: StaffClient;
let ops: StaffClient;
/** Voices with a verdict, and one whose bytes are not audio. */
let good: string;
let loud: string;
let broken: string;
let accountId: string;

const model = join(tmpdir(), `greenroom-model-${process.pid}.onnx`);
const reason = 'A test';
const detail = (response: StaffResponse) => response.body as unknown as StaffVoiceDetailResponse;
const page = (response: StaffResponse) => response.body as unknown as Page<StaffVoiceResponse>;
const problem = (response: StaffResponse) => response.body as unknown as Problem;
const idsOf = (response: StaffResponse) => page(response).items.map(({ voice_id }) => voice_id);

beforeAll(async () => {
  writeFileSync(model, onnxModel());
  stack = await Stack.start({ env: { DNSMOS_MODEL_PATH: model } });
  support = await StaffClient.signedIn(stack, 'support');
  manager = await StaffClient.signedIn(stack, 'account_manager');
  ops = await StaffClient.signedIn(stack, 'ops');
  accountId = await stack.openAccount();
  good = await storeVoice(stack, { accountId, name: 'Lighthouse keeper' });
  loud = await storeVoice(stack, { accountId, name: 'Market crier', bytes: speechFile(2) });
  broken = await storeVoice(stack, { bytes: Buffer.from('no audio at all') });
  await waitForReview(stack, good, 'completed');
  await waitForReview(stack, loud, 'completed');
  await waitForReview(stack, broken, 'rejected');
});

afterAll(async () => {
  await stack.stop();
  rmSync(model);
});

async function act(
  client: StaffClient,
  id: string,
  action: string,
  body: object = {},
): Promise<StaffResponse> {
  const etag = (await client.get(`/admin/voices/${id}`)).headers.get('etag') ?? '*';
  return client.post(`/admin/voices/${id}/${action}`, { reason, ...body }, { 'if-match': etag });
}

async function eventsOf(targetId: string): Promise<Record<string, unknown>[]> {
  return stack.dataSource.query(
    'SELECT action, actor_name, before, after, reason FROM audit_event WHERE target_id = $1 ORDER BY id',
    [targetId],
  );
}

describe('200', () => {
  it('a voice with the public fields, what was measured against its targets, sentences, attempts and its timeline', async () => {
    const { body, headers } = await support.get(`/admin/voices/${good}`);
    const voice = body as unknown as StaffVoiceDetailResponse;
    expect(Object.keys(voice.voice)).toHaveLength(26);
    expect(voice.voice).toMatchObject({ voice_id: good, labelling_status: 'review_complete' });
    expect(voice.engine.understood).toEqual({ traits: { gender: 'male' } });
    expect(voice.verdict).toMatchObject({
      generation: 1,
      ruleset: 'greenroom-2026-11-4',
      decided_by: 'ruleset',
      grade: voice.voice.recording_quality,
    });
    expect(voice.verdict!.targets.find(({ measurement }) => measurement === 'bandwidthHz')).toMatchObject({
      target: '12,000 Hz or more',
      met: false,
    });
    expect(voice.verdict!.second_opinion).toEqual({
      model: expect.stringMatching(/^greenroom-model-\d+\.onnx [0-9a-f]{12}$/),
      sig: expect.any(Number),
      bak: expect.any(Number),
      ovrl: expect.any(Number),
      p808: null,
      windows: expect.any(Number),
      problem: null,
    });
    expect(voice.reasons.map(({ code }) => code)).toContain('narrow_bandwidth');
    for (const { sentence } of voice.reasons) expect(sentence).toMatch(/^[A-Z].+\.$/);
    expect(voice.timeline.map(({ from, to }) => [from, to])).toEqual([
      [null, 'queued'],
      ['queued', 'running'],
      ['running', 'completed'],
    ]);
    expect(voice.attempts).toMatchObject([{ number: 1, outcome: 'succeeded', failure: null }]);
    expect(headers.get('etag')).toBe(`"v${voice.version}.${voice.curation_version}"`);
  });

  it('voices by account, grade, status, reason, ruleset, date and name, with a total', async () => {
    const { recording_quality: grade } = detail(await support.get(`/admin/voices/${good}`)).voice;
    const find = async (query: string) => idsOf(await support.get(`/admin/voices?${query}`));
    expect((await find(`account_id=${accountId}`)).sort()).toEqual([good, loud].sort());
    expect(await find(`account_id=${accountId}&search=house`)).toEqual([good]);
    expect(await find(`search=${loud}`)).toEqual([loud]);
    expect(await find(`account_id=${accountId}&grade=${grade}`)).toContain(good);
    expect(await find('status=rejected')).toEqual([broken]);
    expect(await find('reason_code=undecodable_audio')).toEqual([broken]);
    expect(await find('reason_code=clipping')).toEqual([loud]);
    expect(await find('labelling_status=in_review')).toEqual([]);
    expect(await find('ruleset=greenroom-2026-11-strict-4')).toEqual([]);
    expect(await find('created_before=2020-01-01')).toEqual([]);
    expect(page(await support.get('/admin/voices?created_since=2020-01-01'))).toMatchObject({ total: 3 });
  });

  it.each(['created_at', '-created_at', 'name', '-reviewed_at'])(
    'every voice once, in pages by %s',
    async (sort) => {
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const response = page(await support.get(`/admin/voices?limit=1&sort=${sort}&cursor=${cursor}`));
        seen.push(...response.items.map(({ voice_id }) => voice_id));
        if (!response.next_cursor) break;
        cursor = response.next_cursor;
      }
      expect(seen.sort()).toEqual([good, loud, broken].sort());
    },
  );

  it('the grades of an account by day, of all verdicts on its voices', async () => {
    const { status, body } = await manager.get(`/admin/accounts/${accountId}/grades`);
    const today = new Date().toISOString().slice(0, 10);
    expect([status, body]).toMatchObject([200, { to: today }]);
    const items = body.items as { day: string; grade: string; reviews: number }[];
    expect(items.every(({ day }) => day === today)).toBe(true);
    const voices = page(await support.get(`/admin/voices?account_id=${accountId}`)).items;
    const grades = voices.map(({ recording_quality: grade }) => grade);
    expect(items.map(({ grade }) => grade).sort()).toEqual([...new Set(grades)].sort());
    expect(items.reduce((sum, { reviews }) => sum + reviews, 0)).toBe(2);
    expect((await manager.get('/admin/accounts/nonsense/grades')).status).toBe(404);
    expect((await ops.get(`/admin/accounts/${accountId}/grades`)).status).toBe(403);
  });

  it('the recording, whole and in part, and one audit event for one listening', async () => {
    const path = `/admin/voices/${good}/audio?reason=${encodeURIComponent('A customer called')}`;
    const whole = await support.get(path);
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const part = await support.get(path, { range: 'bytes=4-11' });
    expect([part.status, part.headers.get('content-range')?.split('/')[0]]).toEqual([206, 'bytes 4-11']);
    expect(part.text.slice(4)).toBe('WAVE');
    expect(await eventsOf(good)).toMatchObject([
      { action: 'voice.listened', reason: 'A customer called', actor_name: support.person.email },
    ]);
  });

  it('a person’s grade, which the customer sees, and which a later review replaces only on request', async () => {
    const id = await storeVoice(stack, { accountId: await stack.openAccount() });
    await waitForReview(stack, id, 'completed');
    const input = await act(support, id, 'override', { grade: 'studio', public_reason: 'checked by ear' });
    expect(input.status).toBe(200);
    expect(detail(input).voice).toMatchObject({
      recording_quality: 'studio',
      recording_quality_reason: 'manual: checked by ear',
      labelling_status: 'review_complete',
    });
    expect(detail(input)).toMatchObject({ status: 'overridden', generation: 2 });
    expect(detail(input).history.map(({ decided_by }) => decided_by)).toEqual([
      support.person.email,
      'ruleset',
    ]);
    expect(detail(input).verdict!.measurements).toHaveProperty('snrDb');
    expect(detail(input).verdict!.second_opinion).toHaveProperty('ovrl');
    const refused = await act(support, id, 're-review');
    expect([refused.status, problem(refused).code]).toEqual([409, 'review_state_conflict']);
    expect((await act(support, id, 're-review', { force: true })).status).toBe(202);
    await waitForReview(stack, id, 'completed');
    expect(await eventsOf(id)).toMatchObject([
      {
        action: 'voice.grade_overridden',
        reason,
        after: { state: 'overridden', recording_quality: 'studio' },
      },
      { action: 'voice.re_reviewed', before: { state: 'overridden' }, after: { generation: 3 } },
    ]);
  });

  it('what other rules would change, without changing anything', async () => {
    const to = 'greenroom-2026-11-telephone-4';
    const compare = async (query: string) =>
      (await support.get(`/admin/rulesets/compare?${query}`)).body as unknown as ComparisonResponse;
    const before = await support.get(`/admin/voices/${good}`);
    const response = await compare(`to=${to}&account_id=${accountId}`);
    expect(response.compared).toBe(2);
    expect(response.changed).toBe(response.better + response.worse);
    expect(response.table.reduce((sum, { count }) => sum + count, 0)).toBe(response.changed);
    expect(response.summary).toBe(`${response.changed} of 2 would change.`);
    expect(await compare('to=greenroom-2026-11-4&from=greenroom-2026-11-4')).toMatchObject({ changed: 0 });
    expect(await compare(`to=${to}&status=rejected`)).toMatchObject({ compared: 0, unmeasured: 1 });
    expect((await support.get(`/admin/voices/${good}`)).headers.get('etag')).toBe(before.headers.get('etag'));
    const rulesets = await support.get('/admin/rulesets');
    expect(rulesets.body.items).toMatchObject([
      { id: 'greenroom-2026-11-4', current: true },
      ...Array.from({ length: 6 }, () => ({})),
    ]);
  });

  it('the rules of the latest verdict as the current ones: unless configured, they depend on the model of the worker', async () => {
    const id = await storeVoice(stack);
    await waitForReview(stack, id, 'completed');
    await stack.dataSource.query(
      `UPDATE review SET ruleset = 'greenroom-2026-11-4-p808', second_opinion = second_opinion - 'p808'
       WHERE voice_id = $1`,
      [id],
    );
    const { items } = (await support.get('/admin/rulesets')).body as {
      items: { id: string; current: boolean }[];
    };
    expect(items.filter(({ current }) => current)).toMatchObject([{ id: 'greenroom-2026-11-4-p808' }]);
    const { verdict } = detail(await support.get(`/admin/voices/${id}`));
    expect(verdict!.second_opinion).toMatchObject({ ovrl: expect.any(Number) as number, p808: null });
  });
});

describe('202', () => {
  it('a review again, after which the voice has a second verdict; the old grade stays until then', async () => {
    const id = await storeVoice(stack);
    await waitForReview(stack, id, 'completed');
    const response = await act(support, id, 're-review');
    expect(response.status).toBe(202);
    expect(detail(response).voice.recording_quality).not.toBeNull();
    await waitForReview(stack, id, 'completed');
    const { history, timeline } = detail(await support.get(`/admin/voices/${id}`));
    expect(history.map(({ generation }) => generation)).toEqual([2, 1]);
    expect(timeline[3]).toMatchObject({ to: 'queued', cause: `requested by staff: ${reason}` });
  });

  it('reviews of many, once the count that was shown is typed, and each of them only once', async () => {
    const account = await stack.openAccount();
    const ids = [
      await storeVoice(stack, { accountId: account }),
      await storeVoice(stack, { accountId: account }),
    ];
    for (const id of ids) await waitForReview(stack, id, 'completed');
    const path = `/admin/voices/re-review?account_id=${account}`;
    expect((await support.get(path)).body).toEqual({ count: 2, confirm: '2' });
    const picked = await support.get(`/admin/voices/re-review?ids=${ids[0]!}`);
    expect(picked.body).toEqual({ count: 1, confirm: '1' });
    expect((await support.get('/admin/voices/re-review?ids=one,')).status).toBe(422);
    const wrong = await support.post(path, { reason, confirm: '3' });
    expect([wrong.status, problem(wrong).code]).toEqual([409, 'selection_changed']);
    expect(await support.post(path, { reason, confirm: '2' })).toMatchObject({
      status: 202,
      body: { started: 2 },
    });
    for (const id of ids) {
      await waitForReview(stack, id, 'completed');
      expect(detail(await support.get(`/admin/voices/${id}`)).generation).toBe(2);
    }
  });
});

describe('403', () => {
  it.each<[string, () => StaffClient, string, string, object]>([
    ['an account manager who wants to listen', () => manager, 'GET', '/audio?reason=curious', {}],
    ['an account manager who wants another grade', () => manager, 'POST', '/override', { grade: 'good' }],
    ['an account manager who wants a review', () => manager, 'POST', '/re-review', {}],
    ['ops who want to look', () => ops, 'GET', '', {}],
  ])('%s', async (_, client, method, path, body) => {
    const send = method === 'POST' ? { reason, ...body } : undefined;
    const response = await client().send(method, `/admin/voices/${good}${path}`, send, { 'if-match': '*' });
    expect([response.status, problem(response).code]).toEqual([403, 'staff_permission_missing']);
  });

  it('but an account manager may read', async () => {
    expect((await manager.get(`/admin/voices/${good}`)).status).toBe(200);
  });
});

describe('404', () => {
  it.each(['nosuchvoice', 'AAAAAAAAAAAAAAAAAAAA', '%00', '💥', 'a'.repeat(150)])(
    'no voice %s',
    async (id) => {
      for (const response of [
        await support.get(`/admin/voices/${encodeURIComponent(id)}`),
        await support.get(`/admin/voices/${encodeURIComponent(id)}/audio?reason=test`),
        await act(support, encodeURIComponent(id), 'cancel'),
      ])
        expect([response.status, problem(response).code]).toEqual([404, 'voice_not_found']);
    },
  );
});

describe('409', () => {
  it('a settled review cannot be cancelled, and one without a verdict gets no grade', async () => {
    const cancelled = await act(support, good, 'cancel');
    expect(problem(cancelled)).toMatchObject({
      status: 409,
      detail:
        'The review of this voice is completed. Only a review that is under way or stalled can be cancelled.',
    });
    const waiting = await storeVoice(stack, { enqueue: false });
    expect((await act(support, waiting, 'override', { grade: 'good' })).status).toBe(409);
    expect((await act(support, waiting, 're-review')).status).toBe(409);
    expect((await act(support, waiting, 'cancel')).status).toBe(200);
    expect((await act(support, waiting, 're-review')).status).toBe(202);
    await waitForReview(stack, waiting, 'completed');
  });
});

describe('412 and 428', () => {
  it('a change from an older version, or from none', async () => {
    const path = `/admin/voices/${good}/re-review`;
    expect((await support.post(path, { reason }, { 'if-match': '"v1"' })).status).toBe(412);
    expect((await support.post(path, { reason })).status).toBe(428);
  });
});

describe('416', () => {
  it('a range behind the end', async () => {
    const response = await support.get(`/admin/voices/${good}/audio?reason=test`, {
      range: 'bytes=99999999-',
    });
    expect([response.status, problem(response).code]).toEqual([416, 'range_not_satisfiable']);
    expect(response.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/);
  });
});

describe('422', () => {
  it.each([
    ['/admin/voices?grade=great', "'studio', 'good', 'ok', 'poor' or 'bad'"],
    ['/admin/voices?status=done', 'queued'],
    ['/admin/voices?account_id=me', 'an id such as'],
    ['/admin/voices?created_since=yesterday', 'a date such as'],
    ['/admin/voices?reason_code=ugly', 'background_noise'],
    ['/admin/voices?grade=good&grade=bad', "'studio'"],
    ['/admin/voices?limit=0', 'from 1 to 200'],
    ['/admin/voices/re-review', 'at least one condition'],
    ['/admin/rulesets/compare', 'is required'],
    ['/admin/rulesets/compare?to=none', 'greenroom-2026-11-4'],
  ])('%s says what is accepted', async (path, accepted) => {
    const response = await support.get(path);
    expect(response.status).toBe(422);
    expect(JSON.stringify(problem(response))).toContain(accepted);
  });

  it('400: a cursor that is damaged', async () => {
    const response = await support.get('/admin/voices?cursor=zzz');
    expect([response.status, problem(response).code]).toEqual([400, 'invalid_cursor']);
  });

  it('listening without a reason', async () => {
    const response = await support.get(`/admin/voices/${good}/audio`);
    expect([response.status, problem(response).errors?.[0]?.parameter]).toEqual([422, 'reason']);
  });

  it.each([
    { grade: 'excellent' },
    {},
    { grade: 'good', reason: ' ' },
    { grade: 'good', public_reason: 'x'.repeat(201) },
  ])('a grade that is not accepted: %j', async (body) => {
    expect((await act(support, good, 'override', body)).status).toBe(422);
  });
});

it('tags of a voice narrow the list to it, are recorded when they change, and are not for customers', async () => {
  const path = `/admin/voices/${good}/tags`;
  const set = (tags: unknown, client = support) => client.send('PUT', path, { tags }, ANY_VERSION);
  const input = ['irish', 'campaign:spring', 'irish'];
  expect(detail(await set(input)).tags).toEqual(['campaign:spring', 'irish']);
  expect((await set(input)).status).toBe(200);
  expect(idsOf(await support.get('/admin/voices?tag=irish,campaign:spring'))).toEqual([good]);
  expect(idsOf(await support.get('/admin/voices?tag=irish,other'))).toEqual([]);
  const [row] = page(await support.get(`/admin/voices?ids=${good}`)).items;
  expect(row!.tags).toEqual(['campaign:spring', 'irish']);
  const changes = `SELECT before, after FROM audit_event WHERE action = 'voice.tagged' AND target_id = $1 ORDER BY id`;
  expect(await stack.dataSource.query(changes, [good])).toEqual([
    { before: { tags: [] }, after: { tags: ['campaign:spring', 'irish'] } },
  ]);
  const owner = await stack.issueKey({ accountId });
  const read = await stack.request('GET', `/v1/voices/${good}`, { secret: owner.secret });
  expect(read.status).toBe(200);
  expect(JSON.stringify(read.body)).not.toContain('irish');

  expect((await set(['Irish accent'])).text).toContain('a-z, 0-9');
  expect((await set('irish')).status).toBe(422);
  expect((await set([], ops)).status).toBe(403);
  expect((await support.send('PUT', '/admin/voices/gone/tags', { tags: [] }, ANY_VERSION)).status).toBe(404);
  expect((await support.get('/admin/voices?tag=Irish%20accent')).status).toBe(422);
  expect(detail(await set([])).tags).toEqual([]);
});

it('the journey of a voice from its design to now, with what staff did beside its reviews', async () => {
  const key = await stack.issueKey();
  const [previewId] = await designPreviews(stack, key);
  const made = { voice_name: 'Pilot', voice_description: DESCRIPTION, generated_voice_id: previewId };
  const created = await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body: made });
  const id = created.body.voice_id as string;
  await waitForReview(stack, id, 'completed');
  const held = { state: 'held', reason };
  expect((await support.send('PUT', `/admin/voices/${id}/safety`, held, { 'if-match': '*' })).status).toBe(
    200,
  );
  const { journey } = detail(await support.get(`/admin/voices/${id}`));
  expect(journey.map(({ state }) => state)).toEqual([
    'designed',
    'previewed',
    'created',
    'recording_stored',
    'queued',
    'running',
    'completed',
    // A person listens to what may be wrong.
    'waiting_for_a_person',
    'held',
  ]);
  journey.slice(1).forEach(({ at }, place) => expect(journey[place]!.ended_at).toBe(at));
  expect(journey.at(-1)!.ended_at).toBeNull();
});
