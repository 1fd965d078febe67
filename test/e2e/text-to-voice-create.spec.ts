import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start();
});

afterAll(async () => {
  await stack.stop();
});

const create = ({ secret }: IssuedKey, body: unknown) =>
  stack.request('POST', '/v1/text-to-voice', { secret, body });

const rows = async (sql: string, ...values: unknown[]) =>
  stack.dataSource.query<Record<string, unknown>[]>(sql, values);

const VOICE_FIELDS = [
  'available_for_tiers',
  'category',
  'collection_ids',
  'created_at_unix',
  'description',
  'favorited_at_unix',
  'fine_tuning',
  'high_quality_base_model_ids',
  'is_bookmarked',
  'is_legacy',
  'is_mixed',
  'is_owner',
  'labelling_status',
  'labels',
  'name',
  'permission_on_resource',
  'preview_url',
  'recording_quality',
  'recording_quality_reason',
  'safety_control',
  'samples',
  'settings',
  'sharing',
  'verified_languages',
  'voice_id',
  'voice_verification',
];

describe('200', () => {
  it('a preview becomes a voice in review, and the worker grades its recording', async () => {
    const key = await stack.issueKey();
    const [id] = await designPreviews(stack, key);
    const created = await create(key, createBody(id!, { labels: { accent: 'british' } }));
    expect(created.status).toBe(200);
    expect(Object.keys(created.body).sort()).toEqual(VOICE_FIELDS);
    expect(created.body).toMatchObject({
      name: 'Harbour narrator',
      category: 'generated',
      labels: { accent: 'british' },
      labelling_status: 'in_review',
      recording_quality: null,
      recording_quality_reason: null,
    });
    const path = `/v1/voices/${created.body.voice_id as string}`;
    const reviewed = await eventually(async () => {
      const { body } = await stack.request('GET', path, { secret: key.secret });
      expect(body.labelling_status).toBe('review_complete');
      return body;
    });
    expect(['good', 'ok', 'poor']).toContain(reviewed.recording_quality);
    expect(reviewed.recording_quality_reason).toMatch(/^[a-z_]+=\S+(; [a-z_]+=\S+){0,3}$/);
    expect(reviewed.labels).toEqual({ accent: 'british' });
  });

  it('the sample is the recording that was reviewed', async () => {
    const key = await stack.issueKey();
    const [id] = await designPreviews(stack, key);
    const { body } = await create(key, createBody(id!));
    const [sample] = body.samples as {
      sample_id: string;
      mime_type: string;
      size_bytes: number;
      hash: string;
    }[];
    const audio = await stack.request(
      'GET',
      `/v1/voices/${body.voice_id as string}/samples/${sample!.sample_id}/audio`,
      {
        secret: key.secret,
      },
    );
    expect(audio.status).toBe(200);
    expect(audio.headers.get('content-type')).toBe(sample!.mime_type);
    expect(audio.bytes.length).toBe(sample!.size_bytes);
  });

  it('the same request again, also 20 times at once, is the same voice', async () => {
    const key = await stack.issueKey();
    const [id] = await designPreviews(stack, key);
    const request = { secret: key.secret, body: createBody(id!) };
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => stack.requestUntilServed('POST', '/v1/text-to-voice', request)),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(responses.map(({ body }) => body.voice_id)).size).toBe(1);
    expect(await rows('SELECT id FROM voice WHERE account_id = $1', key.accountId)).toHaveLength(1);
  });

  it('previews that were played and not chosen are kept as preferences', async () => {
    const key = await stack.issueKey();
    const [chosen, ...rejected] = await designPreviews(stack, key);
    const { status } = await create(key, createBody(chosen!, { played_not_selected_voice_ids: rejected }));
    expect(status).toBe(200);
    const pairs = await rows(
      'SELECT rejected_preview_id AS id FROM preview_preference WHERE chosen_preview_id = $1',
      chosen,
    );
    expect(pairs.map(({ id }) => id).sort()).toEqual([...rejected].sort());
  });
});

describe('400', () => {
  it('12 creates at once on 3 slots: exactly 3 voices', async () => {
    const key = await stack.issueKey({ tier: 'free', concurrency: 4 });
    const ids = (await Promise.all([1, 2, 3, 4].map(() => designPreviews(stack, key)))).flat();
    const responses = await Promise.all(ids.map((id) => create(key, createBody(id))));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = responses.find(({ status }) => status === 400);
    expect(refused?.body.detail).toMatchObject({
      type: 'invalid_request',
      code: 'voice_limit_reached',
      status: 'voice_limit_reached',
    });
    expect(refused?.body.detail?.message).toContain('(3 / 3)');
  });
});

describe('many at once, of one account', () => {
  it('wait for each other: others have room, and one that waited too long has no effect', async () => {
    const [busy, other] = [await stack.issueKey({ tier: 'enterprise' }), await stack.issueKey()];
    const ids: string[] = [];
    while (ids.length < 12) ids.push(...(await designPreviews(stack, busy)));
    const [otherId] = await designPreviews(stack, other);
    const held = await holdAccount(busy.accountId);
    const started = Date.now();
    const waiting = ids.map(async (id) => {
      const response = await create(busy, createBody(id));
      return { response, ms: Date.now() - started };
    });
    await pause(500);
    expect((await create(other, createBody(otherId!))).status).toBe(200);
    expect(Date.now() - started).toBeLessThan(2_500);
    await pause(4_000 - (Date.now() - started));
    await held.release();
    const responses = await Promise.all(waiting);
    const refused = responses.filter(({ response }) => response.status !== 200);
    expect(refused).toHaveLength(10);
    for (const { response } of refused) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(response.body.detail).toMatchObject({ code: 'service_unavailable' });
    }
    expect(await voicesOf(busy.accountId)).toBe(2);
    // One after another: on a slow machine, those that come at once wait too long again.
    for (const id of ids) expect((await create(busy, createBody(id))).status).toBe(200);
    expect(await voicesOf(busy.accountId)).toBe(ids.length);
  });

  async function voicesOf(accountId: string): Promise<number> {
    const [row] = await rows('SELECT count(*)::int AS count FROM voice WHERE account_id = $1', accountId);
    return row!.count as number;
  }

  /** Keeps the account's row locked, as a transaction that does not end would. */
  async function holdAccount(accountId: string): Promise<{ release(): Promise<void> }> {
    const holder = stack.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
    return {
      release: async () => {
        await holder.rollbackTransaction();
        await holder.release();
      },
    };
  }
});

describe('404', () => {
  it("unknown, expired and another account's preview", async () => {
    const [key, other] = await Promise.all([stack.issueKey(), stack.issueKey()]);
    const [foreign] = await designPreviews(stack, other);
    const [expired] = await designPreviews(stack, key);
    await rows(`UPDATE preview SET expires_at = now() WHERE id = $1`, expired);
    for (const id of [foreign!, expired!, 'a'.repeat(20), '../x', '😀']) {
      const { status, body } = await create(key, createBody(id));
      expect(status).toBe(404);
      expect(body.detail).toMatchObject({
        type: 'not_found',
        code: 'preview_not_found',
        param: 'generated_voice_id',
      });
    }
    expect(await rows('SELECT id FROM voice WHERE account_id = $1', key.accountId)).toHaveLength(0);
  });

  it("another account's voice and sample read as unknown", async () => {
    const [key, other] = await Promise.all([stack.issueKey(), stack.issueKey()]);
    const [id] = await designPreviews(stack, other);
    const { body } = await create(other, createBody(id!));
    const path = `/v1/voices/${body.voice_id as string}`;
    const response = await stack.request('GET', path, { secret: key.secret });
    expect(response.status).toBe(404);
    expect(response.body.detail).toMatchObject({
      code: 'voice_not_found',
      message: `A voice with voice_id '${body.voice_id as string}' was not found.`,
    });
    const [sample] = body.samples as { sample_id: string }[];
    const audio = await stack.request('GET', `${path}/samples/${sample!.sample_id}/audio`, {
      secret: key.secret,
    });
    expect(audio.status).toBe(404);
  });
});

describe('409', () => {
  it('a used preview with other content', async () => {
    const key = await stack.issueKey();
    const [id] = await designPreviews(stack, key);
    const first = await create(key, createBody(id!));
    for (const changes of [{ voice_name: 'Another' }, { labels: { a: 'b' } }]) {
      const { status, body } = await create(key, createBody(id!, changes));
      expect(status).toBe(409);
      expect(body.detail).toMatchObject({ type: 'conflict', code: 'preview_already_used' });
      expect(body.detail?.message).toContain(first.body.voice_id);
    }
  });
});

describe('422', () => {
  it.each([
    ['no name', { voice_name: undefined }, ['body', 'voice_name'], 'missing'],
    [
      'a description of 19',
      { voice_description: 'x'.repeat(19) },
      ['body', 'voice_description'],
      'string_too_short',
    ],
    ['a label that is a number', { labels: { a: 1 } }, ['body', 'labels', 'a'], 'string_type'],
    ['NUL in a label', { labels: { a: '\u0000' } }, ['body', 'labels', 'a'], 'string_unicode'],
    [
      'a lone surrogate in a label name',
      { labels: { '\ud800': 'x' } },
      ['body', 'labels', '[key]'],
      'string_unicode',
    ],
    [
      'played ids that are a text',
      { played_not_selected_voice_ids: 'x' },
      ['body', 'played_not_selected_voice_ids'],
      'list_type',
    ],
  ])('%s', async (_, changes, loc, type) => {
    const key = await stack.issueKey();
    const { status, body } = await create(key, createBody('a'.repeat(20), changes));
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ loc, type })]);
  });
});
