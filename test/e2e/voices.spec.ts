import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { createHash, randomUUID } from 'node:crypto';
import { AuditLog } from '../../libs/administration/audit/audit-log';
import { copyPreviews, createVoices, designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { isShort } from '../support/short';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';

const CREATES = isShort() ? 24 : 64;

let stack: Stack;

/** What edits that are refused are about: it stays as it is. */
let unchanged: Awaited<ReturnType<typeof newVoice>>;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  unchanged = await newVoice();
});

afterAll(async () => {
  await stack.stop();
});

const clientOf = ({ secret }: IssuedKey) => new ElevenLabsClient({ apiKey: secret, baseUrl: stack.baseUrl });

const count = async (sql: string, ...values: unknown[]) =>
  (await stack.dataSource.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM ${sql}`, values))[0]!
    .count;

async function newVoice(
  changes: Record<string, unknown> = {},
): Promise<{ key: IssuedKey; voice: JsonBody; path: string }> {
  const key = await stack.issueKey();
  const [voice] = await createVoices(stack, key, [changes]);
  return { key, voice: voice!, path: `/v1/voices/${voice!.voice_id as string}` };
}

const sampleOf = (voice: JsonBody) => (voice.samples as Record<string, unknown>[])[0]!;

/** A form as the body of a request, boundary included. */
function form(
  fields: Record<string, string>,
  boundary = 'x'.repeat(20),
): { body: string; headers: Record<string, string> } {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    body: `${parts.join('')}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

describe('list and search', () => {
  let key: IssuedKey;
  let ids: string[];
  const search = (query: string) => stack.request('GET', `/v2/voices?${query}`, { secret: key.secret });
  const names = async (query: string) =>
    ((await search(query)).body.voices as { name: string }[]).map(({ name }) => name);

  beforeAll(async () => {
    key = await stack.issueKey();
    const voices = await createVoices(stack, key, [
      {
        voice_name: 'Arden',
        labels: { gender: 'male', accent: 'British', age: 'old', use_case: 'narration' },
      },
      {
        voice_name: 'bella',
        labels: { gender: 'female', accent: 'irish', language: 'ga', use_case: 'news' },
      },
      { voice_name: 'Čeněk 100%', labels: { gender: 'female', note: '日本語の声' } },
      { voice_name: 'Dora_the\u00a0Bold' },
      { voice_name: 'Emil', voice_description: 'A bright young boy who reads adventure stories aloud.' },
    ]);
    ids = voices.map((voice) => voice.voice_id as string);
    await createVoices(stack, await stack.issueKey(), [{ voice_name: 'Arden of another account' }]);
  });

  it.each([
    ['', ['Emil', 'Dora_the\u00a0Bold', 'Čeněk 100%', 'bella', 'Arden']],
    ['sort=name', ['Arden', 'bella', 'Dora_the\u00a0Bold', 'Emil', 'Čeněk 100%']],
    ['sort=name&sort_direction=desc', ['Čeněk 100%', 'Emil', 'Dora_the\u00a0Bold', 'bella', 'Arden']],
    ['sort_direction=asc&page_size=1', ['Arden']],
    ['search=ARDEN', ['Arden']],
    ['search=rde', ['Arden']],
    ['search=adventure%20boy', ['Emil']],
    ['search=adventure%20girl', []],
    ['search=irish', ['bella']],
    ['search=be', ['bella']],
    ['search=el', []],
    ['search=本', ['Čeněk 100%']],
    ['search=ČENĚK', ['Čeněk 100%']],
    ['search=100%25', ['Čeněk 100%']],
    ['search=d%25d', []],
    ['search=a_the', ['Dora_the\u00a0Bold']],
    ['search=%F0%9F%91%BB', []],
    ['search=Generated%20Emil', ['Emil']],
    ['gender=Female', ['Čeněk 100%', 'bella']],
    ['gender=male', ['Arden']],
    ['gender=female&accent=irish', ['bella']],
    ['age=old', ['Arden']],
    ['use_cases=news&use_cases=narration', ['bella', 'Arden']],
    ['use_cases=narration', ['Arden']],
    ['language=ga', ['bella']],
    ['category=generated&search=emil', ['Emil']],
    ['category=premade', []],
    ['voice_type=personal&search=emil', ['Emil']],
    ['voice_type=community', []],
    ['collection_id=x', []],
    ['fine_tuning_state=fine_tuned', []],
    ['include_custom_rates=True&min_notice_period_days=3&search=emil&unknown=1', ['Emil']],
  ])('?%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('voice_ids choose voices, those of others not', async () => {
    const foreign = await createVoices(stack, await stack.issueKey(), [{}]);
    const requested = [ids[1], ids[0], foreign[0]!.voice_id, '..', 'x'.repeat(20)].map(
      (id) => `voice_ids=${String(id)}`,
    );
    expect(await names(requested.join('&'))).toEqual(['bella', 'Arden']);
    expect(await names(`voice_ids=${ids[0]}`)).toEqual(['Arden']);
  });

  it('pages lead through everything once, with the total on each', async () => {
    const seen: string[] = [];
    let token: string | null = '';
    while (token !== null) {
      const { body } = await search(`page_size=2&sort=name&next_page_token=${token}`);
      expect(body.total_count).toBe(5);
      seen.push(...(body.voices as { name: string }[]).map(({ name }) => name));
      token = body.next_page_token as string | null;
      expect(body.has_more).toBe(token !== null);
    }
    expect(seen).toEqual(['Arden', 'bella', 'Dora_the\u00a0Bold', 'Emil', 'Čeněk 100%']);
  });

  it('a voice that is deleted while its page is read makes the page shorter, and not the last', async () => {
    const own = await stack.issueKey();
    const [, newer, newest] = (await createVoices(stack, own, [{}, {}, {}])).map((voice) => voice.voice_id);
    // Between the places of the page and their voices.
    const { manager } = stack.dataSource;
    const find = manager.find.bind(manager);
    const finding = jest.spyOn(manager, 'find').mockImplementationOnce(async (entity, options) => {
      await stack.dataSource.query('DELETE FROM voice WHERE id = $1', [newer]);
      return find(entity, options);
    });
    const { body } = await stack.request('GET', '/v2/voices?page_size=2', { secret: own.secret });
    finding.mockRestore();
    expect((body.voices as JsonBody[]).map(({ voice_id }) => voice_id)).toEqual([newest]);
    expect(body.has_more).toBe(true);
    const rest = `/v2/voices?page_size=2&next_page_token=${String(body.next_page_token)}`;
    expect((await stack.request('GET', rest, { secret: own.secret })).body.voices).toHaveLength(1);
  });

  it('without the total it is still a number, which the client library needs', async () => {
    const found = await clientOf(key).voices.search({ includeTotalCount: false, pageSize: 2, voiceIds: ids });
    expect(found).toMatchObject({ totalCount: 0, hasMore: true });
    expect(found.voices).toHaveLength(2);
  });

  it('the client library lists the newest voices', async () => {
    const { voices } = await clientOf(key).voices.getAll({ showLegacy: true });
    expect(voices.map(({ voiceId }) => voiceId)).toEqual(ids.toReversed());
  });

  it.each([
    ['page_size=0', 'page_size', 'int_parsing'],
    ['page_size=101', 'page_size', 'int_parsing'],
    ['page_size=ten', 'page_size', 'int_parsing'],
    ['page_size=1&page_size=2', 'page_size', 'int_parsing'],
    ['sort=age', 'sort', 'enum'],
    ['sort_direction=up', 'sort_direction', 'enum'],
    ['category=mine', 'category', 'enum'],
    ['search=a%00b', 'search', 'string_unicode'],
    [`search=${'x'.repeat(201)}`, 'search', 'string_too_long'],
    ['search=a&search=b', 'search', 'string_type'],
    ['include_total_count=maybe', 'include_total_count', 'bool_parsing'],
    [Array.from({ length: 101 }, () => 'voice_ids=a').join('&'), 'voice_ids', 'too_long'],
  ])('422: %.40s', async (query, field, type) => {
    const { status, body } = await search(query);
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ loc: ['query', field], type })]);
  });

  it('422: a token that is damaged, or of another search', async () => {
    const { body } = await search('page_size=1');
    for (const query of [
      'next_page_token=abc',
      `search=emil&next_page_token=${String(body.next_page_token)}`,
    ]) {
      const refused = await search(query);
      expect(refused.status).toBe(400);
      expect(refused.body.detail).toMatchObject({ code: 'invalid_cursor', param: 'next_page_token' });
    }
  });
});

describe('edit', () => {
  it('the client library changes name, description and labels, and what it does not name stays', async () => {
    const { key, voice } = await newVoice({ labels: { accent: 'irish' } });
    const client = clientOf(key);
    const id = voice.voice_id as string;
    expect(await client.voices.update(id, { name: 'Ünïcode 👻', labels: '{"mood":"calm"}' })).toEqual({
      status: 'ok',
    });
    expect(await client.voices.get(id)).toMatchObject({
      name: 'Ünïcode 👻',
      description: voice.description,
      labels: { mood: 'calm' },
    });
    await client.voices.update(id, { name: 'Again', description: 'Short.' });
    expect(await client.voices.get(id)).toMatchObject({ description: 'Short.', labels: { mood: 'calm' } });
    expect((await client.voices.search({ search: 'calm again' })).voices).toHaveLength(1);
  });

  it.each([
    ['no name', { labels: '{}' }, ['body', 'name'], 'missing'],
    ['labels that are not JSON', { name: 'a', labels: '{' }, ['body', 'labels'], 'json_invalid'],
    ['a label that is a number', { name: 'a', labels: '{"a":1}' }, ['body', 'labels', 'a'], 'string_type'],
    ['NUL in a label', { name: 'a', labels: '{"a":"\\u0000"}' }, ['body', 'labels', 'a'], 'string_unicode'],
  ])('422: %s', async (_, fields, loc, type) => {
    const { key, path } = unchanged;
    const { status, body } = await stack.request('POST', `${path}/edit`, {
      secret: key.secret,
      ...form(fields),
    });
    expect(status).toBe(422);
    expect(body.detail).toEqual([expect.objectContaining({ loc, type })]);
  });

  it('422: recordings cannot be added', async () => {
    const { key, path } = unchanged;
    const body = new FormData();
    body.append('name', 'With a file');
    body.append('files', new Blob([new Uint8Array([0xff, 0])]), 'a.mp3');
    const response = await fetch(`${stack.baseUrl}${path}/edit`, {
      method: 'POST',
      headers: { 'xi-api-key': key.secret },
      body,
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({ detail: [expect.objectContaining({ loc: ['body', 'files'] })] });
  });

  it.each([
    ['no boundary', { headers: { 'content-type': 'multipart/form-data' } }, 400, 'bad_request'],
    ['a form that breaks off', { body: form({ name: 'a' }).body.slice(0, -30) }, 400, 'bad_request'],
    ['no form at all', { body: 'name=a' }, 400, 'bad_request'],
    [
      'bytes that are not UTF-8',
      { body: Buffer.from(form({ name: '\u00ff' }).body, 'latin1') },
      400,
      'bad_request',
    ],
    [
      '101 parts',
      { body: form(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`f${n}`, 'x']))).body },
      400,
      'bad_request',
    ],
    [
      'JSON',
      { body: '{"name":"a"}', headers: { 'content-type': 'application/json' } },
      415,
      'invalid_content_type',
    ],
    [
      '10 MB of labels',
      { body: form({ name: 'a', labels: 'x'.repeat(10_000_000) }).body },
      413,
      'request_too_large',
    ],
  ])('%s is refused and changes nothing', async (_, changes, status, code) => {
    const { key, voice, path } = unchanged;
    const usual = form({ name: 'changed' });
    const response = await fetch(`${stack.baseUrl}${path}/edit`, {
      method: 'POST',
      headers: {
        'xi-api-key': key.secret,
        ...usual.headers,
        ...('headers' in changes ? changes.headers : {}),
      },
      body: 'body' in changes ? changes.body : usual.body,
    });
    const body = (await response.json()) as JsonBody;
    expect([response.status, body.detail?.code]).toEqual([status, code]);
    expect((await stack.request('GET', path, { secret: key.secret })).body.name).toBe(voice.name);
  });

  it('415: a form where JSON is wanted', async () => {
    const { secret } = await stack.issueKey();
    const { status, body } = await stack.request('POST', '/v1/text-to-voice', {
      secret,
      ...form({ voice_name: 'a' }),
    });
    expect([status, body.detail?.code]).toEqual([415, 'invalid_content_type']);
    expect(body.detail?.message).toContain('application/json');
  });
});

describe('settings', () => {
  it('the defaults need no key', async () => {
    const { status, body } = await stack.request('GET', '/v1/voices/settings/default');
    expect(status).toBe(200);
    expect(body).toEqual({
      stability: 0.5,
      similarity_boost: 0.75,
      style: 0,
      use_speaker_boost: true,
      speed: 1,
    });
  });

  it('an edit changes what it names, null is the default, and the voice shows it', async () => {
    const { key, voice } = await newVoice();
    const client = clientOf(key);
    const id = voice.voice_id as string;
    expect(voice.settings).toMatchObject({ stability: 0.5 });
    await client.voices.settings.update(id, { stability: 0.9, speed: 1.2 });
    await client.voices.settings.update(id, { speed: undefined, style: 1 });
    expect(await client.voices.settings.get(id)).toMatchObject({ stability: 0.9, style: 1 });
    expect((await client.voices.get(id)).settings).toMatchObject({
      stability: 0.9,
      style: 1,
      useSpeakerBoost: true,
    });
  });

  it.each([
    [{ stability: 1.01 }, 'stability', 'less_than_equal'],
    [{ speed: 0.69 }, 'speed', 'greater_than_equal'],
    [{ use_speaker_boost: 2 }, 'use_speaker_boost', 'bool_type'],
  ])('422: %j', async (body, field, type) => {
    const { key, path } = unchanged;
    const response = await stack.request('POST', `${path}/settings/edit`, { secret: key.secret, body });
    expect(response.status).toBe(422);
    expect(response.body.detail).toEqual([expect.objectContaining({ loc: ['body', field], type })]);
  });
});

describe('delete', () => {
  it('frees the slot, takes the audio away, and leaves ledger, reviews and an audit event', async () => {
    const key = await stack.issueKey();
    // A seed of its own: the same audio of other accounts would be stored once.
    const [preview] = await designPreviews(stack, key, { seed: 4_711 });
    const created = { secret: key.secret, body: createBody(preview!) };
    const { body: voice } = await stack.request('POST', '/v1/text-to-voice', created);
    const path = `/v1/voices/${voice.voice_id as string}`;
    const digest = sampleOf(voice).hash;
    await stack.dataSource.query(`DELETE FROM preview WHERE account_id = $1 AND voice_id IS NULL`, [
      key.accountId,
    ]);
    const spent = await count('credit_ledger WHERE account_id = $1', key.accountId);
    expect((await stack.request('DELETE', path, { secret: key.secret })).body).toEqual({ status: 'ok' });
    const { body } = await stack.request('GET', '/v1/user/subscription', { secret: key.secret });
    expect(body.voice_slots_used).toBe(0);
    expect(await count('audio_object WHERE digest = $1', digest)).toBe(0);
    expect(await count('outbox WHERE voice_id = $1', voice.voice_id)).toBe(0);
    expect(await count('credit_ledger WHERE account_id = $1', key.accountId)).toBe(spent);
    expect(await count(`review_event WHERE voice_id = $1 AND to_state = 'cancelled'`, voice.voice_id)).toBe(
      1,
    );
    expect(await count(`audit_event WHERE action = 'voice.deleted' AND target_id = $1`, voice.voice_id)).toBe(
      1,
    );
    expect((await stack.request('GET', path, { secret: key.secret })).status).toBe(404);
    expect((await stack.request('DELETE', path, { secret: key.secret })).status).toBe(404);
  });

  it('audio that another voice has too stays, and a late repeat of the create does not bring the voice back', async () => {
    const key = await stack.issueKey();
    const [gone, stays] = await createVoices(stack, key, [{}, {}]);
    const [preview] = await stack.dataSource.query<{ id: string }[]>(
      'SELECT id FROM preview WHERE voice_id = $1',
      [gone!.voice_id],
    );
    await clientOf(key).voices.delete(gone!.voice_id as string);
    expect(await count('audio_object WHERE digest = $1', sampleOf(stays!).hash)).toBe(1);
    const again = await stack.request('POST', '/v1/text-to-voice', {
      secret: key.secret,
      body: createBody(preview!.id),
    });
    expect([again.status, again.body.detail?.code]).toEqual([404, 'preview_not_found']);
  });

  it('409: the only sample of a voice stays', async () => {
    const { key, voice, path } = await newVoice();
    const refused = await stack.request('DELETE', `${path}/samples/${String(sampleOf(voice).sample_id)}`, {
      secret: key.secret,
    });
    expect([refused.status, refused.body.detail?.code]).toEqual([409, 'only_sample']);
    const unknown = await stack.request('DELETE', `${path}/samples/x`, { secret: key.secret });
    expect([unknown.status, unknown.body.detail?.code]).toEqual([404, 'sample_not_found']);
  });
});

it('a voice is deleted whatever its texts look like, and the audit log keeps no secret of them', async () => {
  const { secret } = await stack.issueKey();
  const { key, path } = await newVoice({
    voice_name: `Arden ${secret}`,
    voice_description: `A warm voice that once read ${secret} and ${secret} aloud.`,
    labels: { token: 'warm', password: 'three lamps', accent: 'irish', [secret]: 'x' },
  });
  const deleted = await stack.request('DELETE', path, { secret: key.secret });
  expect([deleted.status, deleted.body]).toEqual([200, { status: 'ok' }]);
  const [event] = await stack.dataSource.query<{ before: object }[]>(
    `SELECT before FROM audit_event WHERE action = 'voice.deleted' AND account_id = $1`,
    [key.accountId],
  );
  expect(event!.before).toEqual({
    name: 'Arden [redacted]',
    description: 'A warm voice that once read [redacted] and [redacted] aloud.',
    labels: { token: '[redacted]', password: '[redacted]', accent: 'irish', '[redacted]': 'x' },
  });
  expect(await stack.api.get(AuditLog).verifyChain()).toMatchObject({ ok: true });
});

describe('audio', () => {
  let key: IssuedKey;
  let path: string;
  let previewUrl: URL;
  let whole: Buffer;
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    stack.request(method, path, { secret: key.secret, headers });

  beforeAll(async () => {
    const created = await newVoice();
    key = created.key;
    path = `${created.path}/samples/${String(sampleOf(created.voice).sample_id)}/audio`;
    previewUrl = new URL(created.voice.preview_url as string);
    whole = (await get()).bytes;
  });

  it('whole, with what a player needs to seek in it', async () => {
    const { status, headers, bytes } = await get();
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect([status, headers.get('accept-ranges'), headers.get('etag')]).toEqual([
      200,
      'bytes',
      `"${digest}"`,
    ]);
    expect(headers.get('content-type')).toBe('audio/mpeg');
    expect(Date.parse(headers.get('last-modified')!)).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['bytes=0-99', 0, 100],
    ['bytes=100-', 100, undefined],
    ['bytes=-100', -100, undefined],
  ])('206: %s', async (range, start, end) => {
    const { status, headers, bytes } = await get({ range });
    expect(status).toBe(206);
    expect(bytes.equals(whole.subarray(start, end))).toBe(true);
    expect(headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${whole.length}$`));
    expect(Number(headers.get('content-length'))).toBe(bytes.length);
  });

  it('416: a range after the end, with the size', async () => {
    const { status, headers, body } = await get({ range: `bytes=${whole.length}-` });
    expect([status, body.detail?.code]).toEqual([416, 'range_not_satisfiable']);
    expect(headers.get('content-range')).toBe(`bytes */${whole.length}`);
  });

  it('If-Range, If-None-Match and If-Modified-Since are understood', async () => {
    const { headers } = await get();
    const [etag, modified] = [headers.get('etag')!, headers.get('last-modified')!];
    const range = 'bytes=0-9';
    const statusOf = async (input: Record<string, string>) => (await get(input)).status;
    expect(await statusOf({ range, 'if-range': etag })).toBe(206);
    expect(await statusOf({ range, 'if-range': modified })).toBe(206);
    expect(await statusOf({ range, 'if-range': '"other"' })).toBe(200);
    expect(await statusOf({ 'if-none-match': `"a", ${etag}` })).toBe(304);
    expect(await statusOf({ 'if-none-match': '"a"', 'if-modified-since': modified })).toBe(200);
    expect(await statusOf({ 'if-modified-since': modified })).toBe(304);
    expect(await statusOf({ 'if-modified-since': 'no date' })).toBe(200);
  });

  it('preview_url plays without a key, in parts too', async () => {
    expect(previewUrl.origin).toBe(new URL(stack.baseUrl).origin);
    const audio = await fetch(previewUrl);
    expect(audio.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await audio.arrayBuffer()).equals(whole)).toBe(true);
    expect((await fetch(previewUrl, { headers: { range: 'bytes=0-1' } })).status).toBe(206);
  });

  it.each([
    ['with another time', (url: URL) => url.searchParams.set('expires', '9999999999')],
    ['of another key', (url: URL) => url.searchParams.set('issuer', `${randomUUID()}.1`)],
    ['without a signature', (url: URL) => url.searchParams.delete('signature')],
    ['without anything', (url: URL) => void (url.search = '')],
    ['of another voice', (url: URL) => void (url.pathname = url.pathname.replace(/\w{20}/, 'x'.repeat(20)))],
  ])('403: a preview_url %s', async (_, change) => {
    const url = new URL(previewUrl);
    change(url);
    const response = await fetch(url);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ detail: { code: 'preview_url_refused' } });
  });

  it('a preview_url works from everywhere, also that of a key with an allow-list', async () => {
    const own = await stack.issueKey({ allowedIps: ['127.0.0.1'] });
    const [voice] = await createVoices(stack, own, [{}]);
    await stack.dataSource.query(`UPDATE api_key SET allowed_ips = '{192.0.2.1}' WHERE id = $1`, [own.keyId]);
    expect((await fetch(voice!.preview_url as string)).status).toBe(200);
  });

  it.each([
    ['disabled', `UPDATE api_key SET disable_reason = 'unused' WHERE id = $1`],
    ['deleted', `UPDATE api_key SET deleted_at = now() WHERE id = $1`],
    ['expired', `UPDATE api_key SET expires_at = now() WHERE id = $1`],
    ['without a permission for voices', `UPDATE api_key SET permissions = '{models_read}' WHERE id = $1`],
    ['rotated without overlap', `UPDATE api_key_secret SET retires_at = now() WHERE key_id = $1`],
    ['of a suspended account', `UPDATE account SET status = 'suspended' WHERE id = $2`],
    ['of a closed account', `UPDATE account SET status = 'closed' WHERE id = $2`],
  ])('403: a preview_url whose key is %s', async (_, change) => {
    const { key: own, voice } = await newVoice();
    const url = voice.preview_url as string;
    expect((await fetch(url)).status).toBe(200);
    const values = change.includes('$2') ? [own.accountId] : [own.keyId];
    await stack.dataSource.query(change.replace('$2', '$1'), values);
    const refused = await fetch(url);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        detail: expect.objectContaining({
          code: 'preview_url_refused',
          message: expect.stringMatching(
            /^This preview URL was issued with a key that does not work any more\./,
          ),
        }),
      },
    ]);
  });

  it('a preview_url of another key of the account is not concerned', async () => {
    const { key: own, voice } = await newVoice();
    const other = await stack.issueKey({ accountId: own.accountId });
    const read = await stack.request('GET', `/v1/voices/${String(voice.voice_id)}`, { secret: other.secret });
    await stack.dataSource.query(`UPDATE api_key SET disable_reason = 'unused' WHERE id = $1`, [own.keyId]);
    expect((await fetch(voice.preview_url as string)).status).toBe(403);
    expect((await fetch(read.body.preview_url as string)).status).toBe(200);
  });

  it('403: a preview_url that has expired says so', async () => {
    const realNow = Date.now;
    const later = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + 26 * 3_600_000);
    const response = await fetch(previewUrl).finally(() => later.mockRestore());
    expect(response.status).toBe(403);
    expect(((await response.json()) as JsonBody).detail?.message).toMatch(/expired at 20\d\d-/);
  });
});

describe('404', () => {
  it("another account's voice gets the response of an unknown one, on every route", async () => {
    const { path, voice } = await newVoice();
    const { secret } = await stack.issueKey();
    const sample = String(sampleOf(voice).sample_id);
    const routes: [string, string, object][] = [
      ['GET', '', {}],
      ['DELETE', '', {}],
      ['GET', '/settings', {}],
      ['POST', '/settings/edit', { body: {} }],
      ['POST', '/edit', form({ name: 'a' })],
      ['GET', `/samples/${sample}/audio`, {}],
      ['DELETE', `/samples/${sample}`, {}],
    ];
    for (const [method, rest, request] of routes) {
      for (const base of [
        path,
        `/v1/voices/${'x'.repeat(20)}`,
        '/v1/voices/%00',
        '/v1/voices/%F0%9F%91%BB',
      ]) {
        const { status, body } = await stack.request(method, base + rest, { secret, ...request });
        expect([method, rest, base, status, body.detail?.code]).toEqual([
          method,
          rest,
          base,
          404,
          'voice_not_found',
        ]);
      }
    }
  });
});

it('many creates at once on an account with 10 free slots: exactly 10 voices', async () => {
  const key = await stack.issueKey({ tier: 'starter' });
  const [first] = await designPreviews(stack, key);
  const ids = await copyPreviews(stack, first!, CREATES);
  const create = (id: string) =>
    stack.requestUntilServed('POST', '/v1/text-to-voice', { secret: key.secret, body: createBody(id) });
  const statuses = (await Promise.all(ids.map(create))).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([...Array(10).fill(200), ...Array(CREATES - 10).fill(400)]);
  expect(await count('voice WHERE account_id = $1', key.accountId)).toBe(10);
});
