import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { OPENAPI_FILE } from '../../libs/config/openapi-file';
import { copyPreviews, createVoices, designPreviews } from '../support/previews';
import { createBody, designBody } from '../support/samples';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';
import { StaffClient } from '../support/staff-client';

/** What the programs send that the newest official library does not: older official clients, community libraries, browsers. */
let stack: Stack;
let key: IssuedKey;
let firstPreview: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey();
  [firstPreview] = (await designPreviews(stack, key)) as [string];
});

afterAll(async () => {
  await stack.stop();
});

const newPreview = async () => (await copyPreviews(stack, firstPreview, 1))[0]!;

const newVoice = async (changes: Record<string, unknown> = {}) =>
  (await createVoices(stack, key, [changes]))[0] as JsonBody & { voice_id: string };

const read = async (voiceId: string) =>
  (await stack.request('GET', `/v1/voices/${voiceId}`, { secret: key.secret })).body;

describe('POST /v1/text-to-voice/create-voice-from-preview, which older official clients call', () => {
  const OLDER_PATH = '/v1/text-to-voice/create-voice-from-preview';

  it('creates the voice that the newer path creates, and the same request there is the same voice', async () => {
    const body = createBody(await newPreview(), { labels: { accent: 'irish' } });
    const created = await stack.request('POST', OLDER_PATH, { secret: key.secret, body });
    expect(created.status).toBe(200);
    expect(created.body).toMatchObject({ name: 'Harbour narrator', labels: { accent: 'irish' } });
    const again = await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body });
    expect(again.body.voice_id).toBe(created.body.voice_id);
  });

  it('understands Idempotency-Key, and needs voices_write', async () => {
    const headers = { 'idempotency-key': 'older-path' };
    const body = createBody(await newPreview());
    const [one, two] = [
      await stack.request('POST', OLDER_PATH, { secret: key.secret, body, headers }),
      await stack.request('POST', OLDER_PATH, { secret: key.secret, body, headers }),
    ];
    expect([two.status, two.body]).toEqual([200, one.body]);
    const { secret } = await stack.issueKey({ permissions: ['voice_generation'] });
    expect((await stack.request('POST', OLDER_PATH, { secret, body })).status).toBe(403);
  });
});

describe('null for an optional field', () => {
  /** The Python client of version 2.59 sends every field of a form, and its labels as JSON. */
  const edit = async (voiceId: string, fields: Record<string, string>) => {
    const form = new FormData();
    Object.entries(fields).forEach(([name, value]) => form.append(name, value));
    const response = await fetch(`${stack.baseUrl}/v1/voices/${voiceId}/edit`, {
      method: 'POST',
      headers: { 'xi-api-key': key.secret },
      body: form,
    });
    return response.status;
  };

  it('labels that are null in a form stay as they are', async () => {
    const { voice_id: id } = await newVoice({ labels: { accent: 'irish' } });
    expect(await edit(id, { name: 'Renamed', labels: 'null' })).toBe(200);
    expect(await read(id)).toMatchObject({ name: 'Renamed', labels: { accent: 'irish' } });
  });

  it('labels that were encoded twice are read', async () => {
    const { voice_id: id } = await newVoice({ labels: { accent: 'irish' } });
    const labels = JSON.stringify(JSON.stringify({ mood: 'calm' }));
    expect(await edit(id, { name: 'Renamed', labels })).toBe(200);
    expect((await read(id)).labels).toEqual({ mood: 'calm' });
    expect(await edit(id, { name: 'Renamed', labels: JSON.stringify('null') })).toBe(200);
    expect((await read(id)).labels).toEqual({ mood: 'calm' });
    expect(await edit(id, { name: 'Renamed', labels: JSON.stringify(JSON.stringify(labels)) })).toBe(422);
  });

  it('is its default in every body', async () => {
    const optional = [
      'model_id',
      'auto_generate_text',
      'loudness',
      'guidance_scale',
      'stream_previews',
      'should_enhance',
      'quality',
      'seed',
      'reference_audio_base64',
      'prompt_strength',
      'remixing_session_id',
      'remixing_session_iteration_id',
    ];
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    const body = { ...designBody(), ...nulls };
    for (const path of ['design', 'create-previews']) {
      const response = await stack.request('POST', `/v1/text-to-voice/${path}`, { secret: key.secret, body });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.body.previews).toHaveLength(3);
    }
  });

  it('is refused where the field is required', async () => {
    const body = createBody(await newPreview(), { voice_name: null });
    const { status, body: refusal } = await stack.request('POST', '/v1/text-to-voice', {
      secret: key.secret,
      body,
    });
    expect([status, refusal.detail?.[0]?.loc]).toEqual([422, ['body', 'voice_name']]);
  });

  it('changes nothing in an edit of a key', async () => {
    const { secret } = key;
    const account = await stack.request('POST', '/v1/service-accounts', { secret, body: { name: 'Nulls' } });
    const path = `/v1/service-accounts/${account.body['service-account-user-id'] as string}/api-keys`;
    const created = await stack.request('POST', path, {
      secret,
      body: { name: 'web', permissions: ['models_read'] },
    });
    const body = {
      is_enabled: null,
      permissions: null,
      allowed_ips: null,
      third_party_disable_allowed: null,
    };
    const edited = await stack.request('PATCH', `${path}/${created.body.key_id as string}`, { secret, body });
    expect(edited.status).toBe(200);
    const listed = await stack.request('GET', path, { secret });
    expect((listed.body['api-keys'] as JsonBody[])[0]).toMatchObject({
      permissions: ['models_read'],
      is_disabled: false,
    });
  });
});

describe('input as the framework of the contract reads it', () => {
  const design = (body: string | Buffer, headers: Record<string, string>) =>
    fetch(`${stack.baseUrl}/v1/text-to-voice/design`, {
      method: 'POST',
      headers: { 'xi-api-key': key.secret, ...headers },
      body,
    });
  const JSON_TYPE = { 'content-type': 'application/json' };

  it('numbers, whole numbers and truth values may be texts, also in an object', async () => {
    const texts = {
      loudness: '0.5',
      guidance_scale: '5',
      seed: ' 7 ',
      auto_generate_text: 'false',
      should_enhance: 0,
    };
    const body = designBody(texts);
    const { status } = await stack.request('POST', '/v1/text-to-voice/design', { secret: key.secret, body });
    expect(status).toBe(200);
    const voice = await newVoice();
    const path = `/v1/voices/${voice.voice_id}/settings/edit`;
    const settings = { stability: '0.25', use_speaker_boost: 'True', speed: '1.1' };
    expect((await stack.request('POST', path, { secret: key.secret, body: settings })).status).toBe(200);
    const { body: read } = await stack.request('GET', `/v1/voices/${voice.voice_id}/settings`, key);
    expect(read).toMatchObject({ stability: 0.25, use_speaker_boost: true, speed: 1.1 });
  });

  it.each([
    ['loudness', 'loud'],
    ['loudness', ''],
    ['loudness', true],
    ['loudness', 'Infinity'],
    ['loudness', '1e999'],
    ['seed', '0.5'],
    ['seed', '0x10'],
    ['seed', '9'.repeat(10_000)],
    ['auto_generate_text', 'perhaps'],
    ['auto_generate_text', 2],
    ['text', 5],
  ])('%s: %j is refused', async (name, value) => {
    const body = designBody({ [name]: value });
    const response = await stack.request('POST', '/v1/text-to-voice/design', { secret: key.secret, body });
    expect([response.status, response.body.detail?.[0]?.loc]).toEqual([422, ['body', name]]);
  });

  it('JSON needs no content type, and may be packed', async () => {
    const text = JSON.stringify(designBody());
    expect((await design(Buffer.from(text), {})).status).toBe(200);
    expect((await design(gzipSync(text), { ...JSON_TYPE, 'content-encoding': 'gzip' })).status).toBe(200);
  });

  it('what is packed is bounded when it is unpacked, and has to be what it says', async () => {
    const packed = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    expect((await design(bomb, packed)).status).toBe(413);
    // Its reader has stopped listening when the end turns out to be broken.
    const broken = Buffer.concat([bomb.subarray(0, -8), Buffer.alloc(2_000, 1)]);
    expect((await design(broken, packed)).status).toBe(413);
    const plain = await design('{"text":"plain"}', packed);
    expect([plain.status, await plain.text()]).toEqual([
      400,
      expect.stringContaining('not what its Content-Encoding says, gzip'),
    ]);
    const cut = gzipSync(JSON.stringify(designBody())).subarray(0, 60);
    expect((await design(cut, packed)).status).toBe(400);
    expect((await design('x', { ...JSON_TYPE, 'content-encoding': 'br' })).status).toBe(415);
  });

  it('an empty field of a form is one that is left out; files may be called files[], files[0] or file', async () => {
    const { voice_id: id } = await newVoice({ labels: { accent: 'irish' } });
    const form = new FormData();
    Object.entries({ name: 'Renamed', description: '', labels: '' }).forEach((pair) => form.append(...pair));
    const edited = await fetch(`${stack.baseUrl}/v1/voices/${id}/edit`, {
      method: 'POST',
      headers: { 'xi-api-key': key.secret },
      body: form,
    });
    expect(edited.status).toBe(200);
    expect(await read(id)).toMatchObject({ name: 'Renamed', labels: { accent: 'irish' } });
    const admin = await StaffClient.signedIn(stack, 'admin');
    const consent = { given: true, reason: 'Signed form 12' };
    await admin.send('PUT', `/admin/accounts/${key.accountId}/recordings-consent`, consent, {
      'if-match': '*',
    });
    for (const [field, isFile] of [
      ['files[]', true],
      ['files[0]', true],
      ['file', true],
      ['audio', false],
    ] as const) {
      const recording = new FormData();
      recording.append('name', 'Recorded');
      recording.append(field, new Blob(['not audio']), 'voice.wav');
      const response = await fetch(`${stack.baseUrl}/v1/voices/add`, {
        method: 'POST',
        headers: { 'xi-api-key': key.secret },
        body: recording,
      });
      const text = await response.text();
      expect([field, text.includes('files are accepted as')]).toEqual([field, !isFile]);
      expect(response.status).toBeLessThan(500);
    }
  });
});

describe('fine_tuning', () => {
  it('is the object of a voice that is not fine-tuned, with all that the contract requires', async () => {
    const voice = await newVoice();
    expect(voice.fine_tuning).toEqual({
      is_allowed_to_fine_tune: false,
      state: {},
      verification_failures: [],
      verification_attempts_count: 0,
      manual_verification_requested: false,
      language: null,
      progress: {},
      message: {},
      dataset_duration_seconds: null,
      verification_attempts: null,
      slice_ids: null,
      manual_verification: null,
      max_verification_attempts: null,
      next_max_verification_attempts_reset_unix_ms: null,
    });
    expect((await read(voice.voice_id)).fine_tuning).toEqual(voice.fine_tuning);
  });
});

describe('a form as application/x-www-form-urlencoded', () => {
  const send = async (path: string, body: string) =>
    stack.request('POST', path, {
      secret: key.secret,
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  it('edits a voice like a form in parts', async () => {
    const { voice_id: id } = await newVoice();
    const form = new URLSearchParams({ name: 'Ünïcode & co', labels: '{"mood":"calm"}' });
    expect(await send(`/v1/voices/${id}/edit`, form.toString())).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await read(id)).toMatchObject({ name: 'Ünïcode & co', labels: { mood: 'calm' } });
  });

  it('is refused where the contract takes JSON, and with a name that is missing', async () => {
    const refused = await send('/v1/text-to-voice/design', 'voice_description=x');
    expect([refused.status, refused.body.detail?.code]).toEqual([415, 'invalid_content_type']);
    const { voice_id: id } = await newVoice();
    const nameless = await send(`/v1/voices/${id}/edit`, 'labels=null');
    expect([nameless.status, nameless.body.detail?.[0]?.loc]).toEqual([422, ['body', 'name']]);
  });
});

describe('played_not_selected_voice_ids', () => {
  const preferred = async (chosen: string) =>
    (
      await stack.dataSource.query<{ id: string }[]>(
        'SELECT rejected_preview_id AS id FROM preview_preference WHERE chosen_preview_id = $1',
        [chosen],
      )
    ).map(({ id }) => id);

  it('an unknown, a deleted and a foreign id, and that of an own voice, do not fail a create', async () => {
    const [chosen, rejected, expired] = [await newPreview(), await newPreview(), await newPreview()];
    const voice = await newVoice();
    const other = await stack.issueKey();
    const [foreign] = await copyPreviews(stack, firstPreview, 1, other.accountId);
    await stack.dataSource.query('DELETE FROM preview WHERE id = $1', [expired]);
    const ids = [rejected, 'x'.repeat(20), '../y', expired, voice.voice_id, foreign, chosen];
    const body = createBody(chosen, { played_not_selected_voice_ids: ids });
    const created = await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body });
    expect([created.status, await preferred(chosen)]).toEqual([200, [rejected]]);
    const again = await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body });
    expect(again.body.voice_id).toBe(created.body.voice_id);
  });
});

describe('a trailing slash', () => {
  it.each([
    ['GET', '/v1/models/', 200],
    ['GET', '/v1/voices/?show_legacy=true', 200],
    ['GET', '/v1/voices/settings/default/', 200],
    ['POST', '/v1/text-to-voice/', 422],
    ['DELETE', '/v1/voices/', 405],
    ['GET', '/v1/models//', 404],
    ['GET', '/v1/voices//', 404],
    ['GET', '/v1/nothing/', 404],
  ])('%s %s finds its route, if there is one: %i', async (method, path, status) => {
    const body = method === 'POST' ? {} : undefined;
    expect((await stack.request(method, path, { secret: key.secret, body })).status).toBe(status);
  });

  it('asks for the same credential, permission and slot', async () => {
    const { voice_id: id } = await newVoice();
    const limited = await stack.issueKey({ permissions: ['flows'], accountId: key.accountId });
    for (const path of ['/v1/models/', `/v1/voices/${id}/`, '/v1/voices/']) {
      expect((await stack.request('GET', path)).status).toBe(401);
      expect((await stack.request('GET', path, { secret: limited.secret })).status).toBe(403);
      expect((await stack.request('GET', path, { secret: key.secret })).status).toBe(200);
    }
    expect((await stack.request('GET', '/admin/accounts/', { secret: key.secret })).status).toBe(401);
    const body = designBody();
    const design = await stack.request('POST', '/v1/text-to-voice/design/', { secret: key.secret, body });
    expect(design.headers.get('current-concurrent-requests')).toBe('1');
  });

  it('opens an operation to its single-use token', async () => {
    const minted = await stack.request('POST', '/v1/single-use-token/text_to_voice_design/', {
      secret: key.secret,
      body: {},
    });
    const headers = { 'xi-single-use-token': minted.body.token as string };
    const design = { body: designBody(), headers };
    expect((await stack.request('POST', '/v1/text-to-voice/design/', design)).status).toBe(200);
  });
});

describe('a key in the header Authorization', () => {
  it('is refused as what it is, in the words of the contract, with the header to use', async () => {
    for (const scheme of ['Bearer', 'bearer', 'Basic']) {
      const headers = { authorization: `${scheme} ${key.secret}` };
      const { status, body } = await stack.request('GET', '/v1/models', { headers });
      expect([status, body.detail]).toEqual([
        401,
        expect.objectContaining({
          type: 'authentication_error',
          code: 'invalid_authorization_header',
          status: 'invalid_authorization_header',
        }),
      ]);
      const message = String(body.detail?.message);
      expect(message).toMatch(/^Provided authorization header was invalid\./);
      expect(message).toContain('xi-api-key');
      expect(message).not.toContain(key.secret);
    }
  });

  it('is not looked at beside a key where it belongs, as a proxy may add one', async () => {
    const headers = { authorization: 'Basic cHJveHk6cHJveHk=' };
    const { status } = await stack.request('GET', '/v1/models', { secret: key.secret, headers });
    expect(status).toBe(200);
  });
});

describe('the header generated_voice_id', () => {
  it('is one id that can be created as it stands, and a second header has all', async () => {
    const designed = await stack.request('POST', '/v1/text-to-voice/design', {
      secret: key.secret,
      body: designBody(),
    });
    const ids = (designed.body.previews as JsonBody[]).map(({ generated_voice_id: id }) => id as string);
    expect(designed.headers.get('generated_voice_id')).toBe(ids[0]);
    expect(designed.headers.get('generated_voice_ids')).toBe(ids.join(','));
    const body = createBody(designed.headers.get('generated_voice_id')!);
    expect((await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body })).status).toBe(200);
  });
});

describe('an operation that is not offered', () => {
  it.each([
    ['a form in parts', 'multipart/form-data; boundary=x', '--x\r\nbroken'],
    ['a form', 'application/x-www-form-urlencoded', 'a=b'],
    ['JSON that is none', 'application/json', '{'],
    ['a text', 'text/plain', 'hello'],
    ['2 MB', 'application/json', `"${'x'.repeat(2_000_000)}"`],
  ])('is 404 with a pointer to what is offered, whatever its body is: %s', async (_, type, body) => {
    const path = '/v1/voices/pvc/add';
    const headers = { 'content-type': type };
    const response = await stack.request('POST', path, { secret: key.secret, body, headers });
    expect([response.status, response.body.detail]).toEqual([
      404,
      expect.objectContaining({ type: 'not_found', code: 'not_found', status: 'not_found' }),
    ]);
    expect(response.body.detail?.message).toMatch(/^Not Found.*docs\/api-compatibility\.md/);
  });

  it.each(['collections', 'pvc'])(
    'is 404 also where its path looks like that of a voice: %s',
    async (name) => {
      const response = await stack.request('POST', `/v1/voices/${name}`, { secret: key.secret, body: {} });
      expect([response.status, response.body.detail?.code]).toEqual([404, 'not_found']);
    },
  );

  it('a method that is not offered is 405, whatever its body is', async () => {
    const headers = { 'content-type': 'text/plain' };
    const response = await stack.request('PUT', '/v1/models', { secret: key.secret, body: 'hello', headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a page of another origin', () => {
  const corsOf = ({ headers }: { headers: Headers }) =>
    [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();
  const origin = { origin: 'https://page.test' };

  it('reads every header that the description of the API names', async () => {
    const { paths } = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as {
      paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
    };
    const described = Object.entries(paths)
      .filter(([path]) => /^\/v\d\//.test(path))
      .flatMap(([, operations]) => Object.values(operations))
      .flatMap(({ responses }) =>
        Object.values(responses).flatMap((each) => Object.keys(each.headers ?? {})),
      );
    const { headers } = await stack.request('GET', '/v1/models', { secret: key.secret, headers: origin });
    const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
    expect(exposed).toEqual(expect.arrayContaining([...described, 'retry-after', 'www-authenticate']));
  });

  it('gets the headers of an answer with an answer, those of a preflight with a preflight, and others none', async () => {
    const response = await stack.request('GET', '/v1/models', { secret: key.secret, headers: origin });
    expect(corsOf(response)).toEqual(['access-control-allow-origin', 'access-control-expose-headers']);
    const preflight = await stack.request('OPTIONS', '/v1/models', {
      headers: { ...origin, 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, ...corsOf(preflight)]).toEqual([
      200,
      'access-control-allow-headers',
      'access-control-allow-methods',
      'access-control-allow-origin',
      'access-control-max-age',
    ]);
    const direct = await stack.request('GET', '/v1/models', { secret: key.secret });
    expect([direct.status, ...corsOf(direct)]).toEqual([200]);
  });

  it('finds no answer in a cache that was stored without an origin', async () => {
    const { headers } = await stack.request('GET', '/v1/voices/settings/default');
    expect(headers.get('vary')).toContain('origin');
  });
});

describe('GET /v1/text-to-voice/previews', () => {
  const list = async (secret: string) => stack.request('GET', '/v1/text-to-voice/previews', { secret });

  it('has the previews that the key paid for, whose response was lost: they can be heard and created', async () => {
    const own = await stack.issueKey();
    const sibling = await stack.issueKey({ accountId: own.accountId });
    const designed = await stack.request('POST', '/v1/text-to-voice/design', {
      secret: own.secret,
      body: designBody(),
    });
    const ids = (designed.body.previews as JsonBody[]).map(({ generated_voice_id: id }) => id as string);
    const { status, body } = await list(own.secret);
    const previews = body.previews as JsonBody[];
    expect(status).toBe(200);
    expect(previews.map(({ generated_voice_id: id }) => id as string).sort()).toEqual(ids.sort());
    expect(previews[0]).toMatchObject({
      voice_description: designBody().voice_description,
      text: designBody().text,
      request_id: designed.headers.get('x-request-id'),
      voice_id: null,
    });
    const [found] = previews.map(({ generated_voice_id: id }) => id as string);
    const created = await stack.request('POST', '/v1/text-to-voice', {
      secret: own.secret,
      body: createBody(found!),
    });
    expect(created.status).toBe(200);
    for (const { secret } of [sibling, await stack.issueKey()])
      expect((await list(secret)).body).toEqual({ previews: [] });
    const { secret } = await stack.issueKey({ permissions: ['voices_read'] });
    expect((await list(secret)).status).toBe(403);
  });
});
