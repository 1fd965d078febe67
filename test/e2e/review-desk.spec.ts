import { randomUUID } from 'node:crypto';
import type { DeskItemResponse } from '../../apps/api/src/review-desk/staff-review-desk.dto';
import type { StaffVoiceDetailResponse } from '../../apps/api/src/voices/staff-voice.dto';
import { ReviewItemRepository } from '../../libs/database/reviews/review-item.repository';
import { readCalibrationSet } from '../../libs/domain/reviews/calibration-set';
import type { RecordingGrade } from '../../libs/domain/reviews/review-state';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';
import { ANY_VERSION, StaffClient } from '../support/staff-client';
import { storeGradedVoice, storeVoice } from '../support/stored-voices';

const RULESET = 'greenroom-2026-11-4';
const reason = 'A test';

let stack: Stack;
let ana: StaffClient;
let bo: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  [ana, bo] = await Promise.all([
    StaffClient.signedIn(stack, 'support'),
    StaffClient.signedIn(stack, 'support'),
  ]);
});
afterAll(() => stack.stop());

/** A voice with a verdict of the ruleset; returns its id. */
const reviewed = ({ accountId }: { accountId: string }, grade?: RecordingGrade) =>
  storeGradedVoice(stack, { accountId, name: 'Lighthouse' }, grade);

/** The item of a voice at the desk, taken by a person. */
async function taken(person: StaffClient, voiceId: string): Promise<DeskItemResponse> {
  const [row] = await stack.dataSource.query<{ id: string }[]>(
    'SELECT id FROM review_item WHERE voice_id = $1 AND decided_at IS NULL',
    [voiceId],
  );
  const response = await person.post(`/admin/review-desk/${row!.id}/take`, {});
  expect(response.status).toBe(200);
  return response.body as unknown as DeskItemResponse;
}

/** Plays the recording of an item and decides. */
async function decide(person: StaffClient, { id }: { id: string }, body: object) {
  const { voice } = (await person.get(`/admin/review-desk/${id}`)).body as unknown as DeskItemResponse;
  await person.get(`/admin/voices/${voice.id}/audio?reason=${reason}`);
  return person.post(`/admin/review-desk/${id}/decide`, { reason, ...body });
}

describe('an appeal', () => {
  let key: IssuedKey;
  let voiceId: string;
  const path = (id: string) => `/v1/voices/${id}/review/appeal`;
  const appeal = (id: string, body: JsonBody = { reason: 'It is a studio recording' }, headers = {}) =>
    stack.request('POST', path(id), { secret: key.secret, body, headers });
  const codeOf = ({ body }: { body: JsonBody }) => (body.detail as unknown as { code: string }).code;

  beforeEach(async () => {
    key = await stack.issueKey();
    voiceId = await reviewed(key);
  });

  it('waits at the desk, is answered there with a reason, and the customer reads it and is told', async () => {
    await stack.dataSource.query(
      `INSERT INTO webhook_endpoint (id, account_id, name, url, events, sealed_secret, secret_hint)
       VALUES ($1, $2, 'Ours', 'https://example.com/hook', '{voice.appeal_answered}', 'sealed', 'hint')`,
      [randomUUID(), key.accountId],
    );
    const headers = { 'idempotency-key': randomUUID() };
    const created = await appeal(voiceId, undefined, headers);
    expect(created).toMatchObject({
      status: 200,
      body: {
        voice_id: voiceId,
        status: 'open',
        appealed_recording_quality: 'ok',
        outcome: null,
        answer: null,
      },
    });
    expect((await appeal(voiceId, undefined, headers)).body).toEqual(created.body);
    expect(codeOf(await appeal(voiceId, { reason: 'Other words' }, headers))).toBe('idempotency_key_reused');

    const item = await taken(ana, voiceId);
    expect(item).toMatchObject({
      reasons: ['appeal'],
      appeal: { text: 'It is a studio recording', made_by: `API key ${key.keyId}`, answer: null },
    });
    const silent = await decide(ana, item, { grade: 'good' });
    expect(silent.status).toBe(422);
    expect(silent.text).toContain('The customer has appealed');
    const answered = await decide(ana, item, { grade: 'good', answer: 'You are right: no hum is heard.' });
    expect(answered.body).toMatchObject({ decision: 'overridden', decided_grade: 'good' });
    const { journey } = (await ana.get(`/admin/voices/${voiceId}`)).body as { journey: { state: string }[] };
    const ways = journey.map(({ state }) => state).slice(-5);
    expect(ways).toEqual([
      'appealed',
      'waiting_for_a_person',
      'decided_by_a_person',
      'overridden',
      'appeal_answered',
    ]);

    const read = await stack.request('GET', path(voiceId), { secret: key.secret });
    expect(read.body).toMatchObject({
      status: 'answered',
      outcome: 'grade_changed',
      answer: 'You are right: no hum is heard.',
      recording_quality: 'good',
    });
    const notified = await stack.dataSource.query<{ body: string }[]>(
      `SELECT d.body FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id WHERE e.account_id = $1`,
      [key.accountId],
    );
    expect(notified.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      { type: 'voice.appeal_answered', data: { voice_id: voiceId, outcome: 'grade_changed' } },
    ]);
    const { body } = await ana.get('/admin/rulesets');
    expect((body.items as { id: string }[]).find(({ id }) => id === RULESET)).toMatchObject({
      appeals: { changed: 1 },
    });
  });

  it('is refused while one is open, for a verdict that was appealed, and without a verdict', async () => {
    expect((await appeal(voiceId)).status).toBe(200);
    const second = await appeal(voiceId);
    expect(second.status).toBe(409);
    expect(codeOf(second)).toBe('appeal_open');
    await decide(ana, await taken(ana, voiceId), { grade: 'ok', answer: 'There is hum at 50 Hz.' });
    const { body } = await stack.request('GET', path(voiceId), { secret: key.secret });
    expect(body).toMatchObject({ outcome: 'grade_kept', recording_quality: 'ok' });
    const third = await appeal(voiceId);
    expect(codeOf(third)).toBe('verdict_appealed');
    expect(third.bytes.toString()).toContain('There is hum at 50 Hz.');

    const pending = await storeVoice(stack, { accountId: key.accountId, enqueue: false });
    const early = await appeal(pending);
    expect(early.status).toBe(409);
    expect(codeOf(early)).toBe('review_state_conflict');
    expect((await stack.request('GET', path(pending), { secret: key.secret })).status).toBe(404);
  });

  it('is refused for the voice of another account, without a text, and to a key that only reads', async () => {
    const stranger = await stack.issueKey();
    const foreign = await stack.request('POST', path(voiceId), {
      secret: stranger.secret,
      body: { reason: 'x' },
    });
    expect(foreign.status).toBe(404);
    expect(codeOf(foreign)).toBe('voice_not_found');
    for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(1_001) }])
      expect((await appeal(voiceId, body)).status).toBe(422);
    const reader = await stack.issueKey({ accountId: key.accountId, permissions: ['voices_read'] });
    const response = await stack.request('POST', path(voiceId), {
      secret: reader.secret,
      body: { reason: 'x' },
    });
    expect(response.status).toBe(403);
    expect((await stack.request('GET', path(voiceId), { secret: reader.secret })).status).toBe(404);
  });

  it('that a member of staff filed for the customer is decided by another person', async () => {
    const path = `/admin/voices/${voiceId}/appeal`;
    expect((await ana.post(path, { text: 'They say it is clean', reason: 'A call' })).status).toBe(201);
    const decision = { grade: 'ok', answer: 'There is hum.' };
    const own = await decide(ana, await taken(ana, voiceId), decision);
    expect([own.status, own.text]).toEqual([409, expect.stringContaining('appeal_is_own')]);
    const onPage = { grade: 'good', reason };
    const override = await ana.post(`/admin/voices/${voiceId}/override`, onPage, ANY_VERSION);
    expect([override.status, override.text]).toEqual([409, expect.stringContaining('appeal_is_own')]);
    await bo.post(`/admin/review-desk/${(await taken(ana, voiceId)).id}/take`, { take_over: true });
    expect((await decide(bo, await taken(bo, voiceId), decision)).status).toBe(200);
  });

  it('two at the same time make one', async () => {
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => appeal(voiceId)))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  });

  it('is made by staff for the customer, and answered by a grade that is given on the page of the voice', async () => {
    const created = await ana.post(`/admin/voices/${voiceId}/appeal`, { text: 'They called', reason });
    expect(created.status).toBe(201);
    expect((created.body as unknown as StaffVoiceDetailResponse).appeal).toMatchObject({
      text: 'They called',
      made_by: ana.person.email,
      answer: null,
    });
    const body = { grade: 'studio', public_reason: 'recorded in a booth', reason };
    await bo.post(`/admin/voices/${voiceId}/override`, body, { 'if-match': '*' });
    const read = await stack.request('GET', path(voiceId), { secret: key.secret });
    expect(read.body).toMatchObject({ outcome: 'grade_changed', answer: 'recorded in a booth' });
  });
});

describe('a second listening', () => {
  let accountId: string;
  let voiceId: string;

  beforeEach(async () => {
    await stack.dataSource.query('DELETE FROM review_item');
    accountId = await stack.openAccount();
    voiceId = await reviewed({ accountId });
    await ana.post('/admin/review-desk', { voice_id: voiceId, reason: 'They complain' });
  });

  const next = async (person: StaffClient) =>
    (await person.post('/admin/review-desk/take-next', {})).body.item as DeskItemResponse | null;

  it('follows an override: another person gets it, sees no grade, and changes nothing about the voice', async () => {
    await decide(ana, await taken(ana, voiceId), { grade: 'good' });
    expect(await next(ana)).toBeNull();
    expect((await ana.get('/admin/review-desk')).body.items).toEqual([]);
    expect((await ana.get('/admin/review-desk/summary')).body).toMatchObject({ waiting: 0, reasons: [] });
    expect((await bo.get('/admin/review-desk/summary')).body).toMatchObject({ waiting: 1 });
    const item = (await next(bo))!;
    expect(item).toMatchObject({
      voice: { id: voiceId },
      reasons: ['second_listening'],
      blind: true,
      recording_quality: null,
      score: null,
      grade_reasons: [],
    });
    expect(JSON.stringify(item)).not.toContain(ana.person.email);
    expect((await ana.post(`/admin/review-desk/${item.id}/take`, { take_over: true })).body).toMatchObject({
      status: 409,
      code: 'review_item_own',
    });
    const own = { staff_id: ana.person.id };
    expect((await bo.send('PUT', `/admin/review-desk/${item.id}/assignee`, own, ANY_VERSION)).status).toBe(
      409,
    );
    expect((await decide(bo, item, { grade: 'poor', public_reason: 'x' })).status).toBe(422);

    const seconded = await decide(bo, item, { grade: 'poor' });
    expect(seconded.body).toMatchObject({ decision: 'seconded', decided_grade: 'poor' });
    const { body } = await ana.get(`/admin/voices/${voiceId}`);
    expect((body as unknown as StaffVoiceDetailResponse).voice.recording_quality).toBe('good');
    expect(await next(ana)).toBeNull();
  });

  it('goes beside another item of the voice, and ends when the recording becomes another', async () => {
    await decide(ana, await taken(ana, voiceId), { grade: 'good' });
    await ana.post('/admin/review-desk', { voice_id: voiceId, reason: 'They complain again' });
    const listed = (await bo.get('/admin/review-desk')).body.items as DeskItemResponse[];
    expect(listed.map(({ reasons }) => reasons)).toEqual([['complaint'], ['second_listening']]);
    const renew = () =>
      stack.dataSource.transaction((em) => stack.api.get(ReviewItemRepository).renew(voiceId, [], em));
    await renew();
    expect((await bo.get('/admin/review-desk')).body.items).toHaveLength(2);
    await stack.dataSource.query(
      `UPDATE review SET audio_digest = repeat('0', 64) WHERE voice_id = $1 AND generation = 2`,
      [voiceId],
    );
    await renew();
    expect((await bo.get('/admin/review-desk')).body.items).toMatchObject([{ reasons: ['complaint'] }]);
  });

  it('kappa of a seeded set is the one worked out by hand, by week, reason and ruleset', async () => {
    await stack.dataSource.query('DELETE FROM listening');
    // The ten pairs of agreement.spec.ts: kappa is 2 / 3. The rules gave the grade of the first listener, so theirs is 1 and 2 / 3.
    const pairs = [
      ...['good', 'good', 'good', 'ok', 'ok', 'bad'].map((grade) => [grade, grade]),
      ['good', 'ok'],
      ['good', 'ok'],
      ['ok', 'poor'],
      ['studio', 'ok'],
    ];
    for (const [first, second] of pairs)
      await stack.dataSource.query(
        `WITH first AS (INSERT INTO listening (id, voice_id, audio_digest, grade, ruleset, ruleset_grade, reason_codes, listened_by)
           VALUES (gen_random_uuid(), $1, 'd', $2, $4, $2, '{mains_hum}', gen_random_uuid()) RETURNING id)
         INSERT INTO listening (id, voice_id, audio_digest, grade, ruleset, ruleset_grade, reason_codes, first_id, listened_by)
         SELECT gen_random_uuid(), $1, 'd', $3, $4, $2, '{mains_hum}', id, gen_random_uuid() FROM first`,
        [voiceId, first, second, RULESET],
      );
    const { body } = await ana.get('/admin/review-agreement?days=30');
    const expected = {
      people: { pairs: 10, same: 6, within_one: 9, kappa: expect.closeTo(2 / 3, 9) as number },
      shown: { pairs: 10, same: 10, kappa: 1 },
      blind: { pairs: 10, same: 6, kappa: expect.closeTo(2 / 3, 9) as number },
    };
    expect(body).toMatchObject({
      ...expected,
      weeks: [expected],
      reasons: [{ code: 'mains_hum', ...expected }],
      rulesets: [{ ruleset: RULESET, ...expected }],
    });

    const set = readCalibrationSet((await ana.get('/admin/review-agreement/calibration-set')).text);
    expect(set.items).toHaveLength(4);
    expect(set.items.map(({ grades }) => grades)).toContainEqual(['studio', 'ok']);
    expect((await ana.get('/admin/review-agreement?days=3')).status).toBe(422);
  });
});

describe('decisions', () => {
  let accountId: string;

  beforeEach(async () => {
    await stack.dataSource.query('DELETE FROM review_item');
    accountId = await stack.openAccount();
  });

  /** A voice that waits at the desk; returns its id and that of its item. */
  async function waiting(grade: RecordingGrade = 'ok'): Promise<{ voiceId: string; id: string }> {
    const voiceId = await reviewed({ accountId }, grade);
    const sent = await bo.post('/admin/review-desk', { voice_id: voiceId, reason: 'They complain' });
    return { voiceId, id: sent.body.id as string };
  }

  const undo = (person: StaffClient) => person.post('/admin/review-desk/undo');
  const voiceOf = async (voiceId: string) =>
    (await ana.get(`/admin/voices/${voiceId}`)).body as unknown as StaffVoiceDetailResponse;
  const listenings = async () =>
    (await stack.dataSource.query<{ count: number }[]>('SELECT count(*)::int AS count FROM listening'))[0]!
      .count;

  it('an override is undone: the verdict of the rules is back, its second listening is gone, and the item is open again', async () => {
    const before = await listenings();
    const { voiceId } = await waiting();
    const item = await taken(ana, voiceId);
    await decide(ana, item, { grade: 'studio', public_reason: 'no noise at all' });
    expect(await voiceOf(voiceId)).toMatchObject({ status: 'overridden', generation: 2 });
    expect((await undo(bo)).body).toMatchObject({ status: 409, code: 'nothing_to_undo' });

    expect((await undo(ana)).body).toEqual({ item_ids: [item.id] });
    const voice = await voiceOf(voiceId);
    expect(voice).toMatchObject({
      status: 'completed',
      generation: 3,
      voice: { recording_quality: 'ok', recording_quality_reason: 'within_targets' },
      verdict: { decided_by: 'ruleset', score: 2.7 },
    });
    expect(await listenings()).toBe(before);
    const open = (await ana.get('/admin/review-desk')).body.items as DeskItemResponse[];
    expect(open).toMatchObject([{ id: item.id, decision: null, taken_by: { id: ana.person.id } }]);
    expect((await undo(ana)).status).toBe(409);
    expect((await decide(ana, item, { grade: 'ok' })).body).toMatchObject({ decision: 'confirmed' });
  });

  it('without having played the recording says so, counts as no listening, and is never a second one', async () => {
    const { voiceId } = await waiting();
    const { id } = await taken(ana, voiceId);
    const path = `/admin/review-desk/${id}/decide`;
    expect((await ana.post(path, { grade: 'good', reason })).body).toMatchObject({
      status: 409,
      code: 'recording_not_played',
    });
    const before = await listenings();
    const unheard = { grade: 'good', unheard: true, reason: 'The customer sent the same take' };
    expect((await ana.post(path, unheard)).body).toMatchObject({ decided_grade: 'good' });
    expect(await listenings()).toBe(before);

    const heard = await waiting();
    await decide(ana, await taken(ana, heard.voiceId), { grade: 'good' });
    const [second] = await stack.dataSource.query<{ id: string }[]>(
      'SELECT id FROM review_item WHERE voice_id = $1 AND first_listening IS NOT NULL',
      [heard.voiceId],
    );
    await bo.post(`/admin/review-desk/${second!.id}/take`);
    expect((await bo.post(`/admin/review-desk/${second!.id}/decide`, unheard)).status).toBe(409);
    expect((await decide(bo, second!, { grade: 'good' })).status).toBe(200);
  });

  it('many are decided together, all or none, and undone with one', async () => {
    const items = [await waiting('ok'), await waiting('good'), await waiting('poor')];
    const many = { item_ids: items.map(({ id }) => id), grade: null, reason };
    const held = await waiting();
    await taken(bo, held.voiceId);
    const refused = await ana.post('/admin/review-desk/decide-many', {
      ...many,
      item_ids: [...many.item_ids, held.id],
    });
    expect(refused.body).toMatchObject({ status: 409, code: 'review_item_taken' });
    expect((await ana.get('/admin/review-desk')).body.total).toBe(4);

    const count = await listenings();
    expect((await ana.post('/admin/review-desk/decide-many', many)).status).toBe(200);
    expect((await ana.get('/admin/review-desk')).body.total).toBe(1);
    expect(await listenings()).toBe(count);
    const undone = (await undo(ana)).body.item_ids as string[];
    expect(undone.toSorted()).toEqual(many.item_ids.toSorted());

    await ana.post('/admin/review-desk/decide-many', { ...many, grade: 'bad' });
    expect((await voiceOf(items[1]!.voiceId)).voice.recording_quality).toBe('bad');
    await undo(ana);
    const grades = await Promise.all(
      items.map(async ({ voiceId }) => (await voiceOf(voiceId)).voice.recording_quality),
    );
    expect(grades).toEqual(['ok', 'good', 'poor']);
  });

  it('an answered appeal, a later grade and a second listening keep a decision as it is', async () => {
    const appealed = await waiting();
    await bo.post(`/admin/voices/${appealed.voiceId}/appeal`, { text: 'Too low', reason });
    const alone = { item_ids: [appealed.id], grade: null, reason };
    expect((await bo.post('/admin/review-desk/decide-many', alone)).body).toMatchObject({ status: 409 });
    await decide(ana, await taken(ana, appealed.voiceId), { grade: 'good', answer: 'You are right' });
    expect((await undo(ana)).body).toMatchObject({ code: 'decision_final' });
    expect((await voiceOf(appealed.voiceId)).voice.recording_quality).toBe('good');

    const regraded = await waiting();
    await decide(ana, await taken(ana, regraded.voiceId), { grade: 'good' });
    const other = { grade: 'bad', reason };
    await bo.post(`/admin/voices/${regraded.voiceId}/override`, other, { 'if-match': '*' });
    expect((await undo(ana)).text).toContain('reviewed or graded again');

    const seconded = await waiting();
    await decide(ana, await taken(ana, seconded.voiceId), { grade: 'good' });
    const [second] = await stack.dataSource.query<{ id: string }[]>(
      'SELECT id FROM review_item WHERE voice_id = $1 AND first_listening IS NOT NULL',
      [seconded.voiceId],
    );
    await bo.post(`/admin/review-desk/${second!.id}/take`);
    await decide(bo, second!, { grade: 'ok' });
    expect((await undo(ana)).text).toContain('a second person has listened');
    expect((await undo(bo)).body).toEqual({ item_ids: [second!.id] });
    expect((await undo(ana)).status).toBe(200);
  });

  it('comments are read by staff, and deleted by who wrote them', async () => {
    const { voiceId } = await waiting();
    const path = `/admin/voices/${voiceId}/comments`;
    expect((await ana.post(path, { text: '' })).status).toBe(422);
    const added = await ana.post(path, { text: '<b>The customer</b> called twice' });
    expect(added.body.items).toMatchObject([{ text: '<b>The customer</b> called twice', own: true }]);
    const [{ id }] = added.body.items as [{ id: string }];
    expect((await bo.get(path)).body.items).toMatchObject([{ own: false }]);
    expect((await bo.send('DELETE', `${path}/${id}`)).status).toBe(404);
    expect((await ana.send('DELETE', `${path}/${id}`)).status).toBe(204);
    expect((await bo.get(path)).body.items).toEqual([]);
  });
});

it('lists items of every state, decided ones from the newest, page by page', async () => {
  const key = await stack.issueKey();
  const voices = [await reviewed(key, 'ok'), await reviewed(key, 'ok'), await reviewed(key, 'ok')];
  for (const voiceId of voices) {
    const appealed = await stack.request('POST', `/v1/voices/${voiceId}/review/appeal`, {
      secret: key.secret,
      body: { reason: 'It is a studio recording' },
    });
    expect(appealed.status).toBe(200);
    const decided = await decide(ana, await taken(ana, voiceId), { grade: 'good', answer: 'You are right.' });
    expect([decided.status, decided.body]).toEqual([200, expect.anything()]);
  }
  for (const state of ['open', 'mine', 'taken', 'snoozed', 'decided'])
    expect((await ana.get(`/admin/review-desk?state=${state}`)).status).toBe(200);
  const ofVoices: string[] = [];
  let path = '/admin/review-desk?state=decided&limit=2';
  for (let page = await ana.get(path); ; page = await ana.get(path)) {
    const items = page.body.items as unknown as DeskItemResponse[];
    ofVoices.push(...items.map(({ voice }) => voice.id));
    if (page.body.next_cursor === null) break;
    path = `/admin/review-desk?state=decided&limit=2&cursor=${page.body.next_cursor as string}`;
  }
  expect(ofVoices.filter((id) => voices.includes(id))).toEqual(voices.toReversed());
});
