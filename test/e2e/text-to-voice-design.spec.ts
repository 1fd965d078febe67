import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { creditsUsed, framesOf, previewsOf } from '../support/previews';
import { Stack } from '../support/stack';
import { designBody, TEXT } from '../support/samples';
import { isShort } from '../support/short';

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

const design = (secret: string, body: unknown = designBody(), query = '') =>
  stack.request('POST', `/v1/text-to-voice/design${query}`, { secret, body });

describe('200', () => {
  it('three different previews of the given text, as MP3 of the stated duration, for the length of the text', async () => {
    const key = await stack.issueKey();
    const response = await design(key.secret);
    expect(response.status).toBe(200);
    expect(response.body.text).toBe(TEXT);
    expect(response.headers.get('character-cost')).toBe('100');
    const previews = previewsOf(response);
    expect(previews).toHaveLength(3);
    expect(new Set(previews.map((preview) => preview.audio_base_64)).size).toBe(3);
    for (const preview of previews) {
      expect(preview).toMatchObject({ media_type: 'audio/mpeg', language: expect.stringMatching(/^en-/) });
      expect(preview.generated_voice_id).toMatch(/^[A-Za-z0-9]{20}$/);
      const audio = await decodeAudio(Buffer.from(preview.audio_base_64, 'base64'));
      expect(audio.samples.length / audio.sampleRate).toBeCloseTo(preview.duration_secs, 0);
    }
    expect(await creditsUsed(stack, key.keyId)).toBe(100);
  });

  it('the stream of a preview is the audio that was returned', async () => {
    const { secret } = await stack.issueKey();
    const [preview] = previewsOf(await design(secret));
    const stream = await stack.request('GET', `/v1/text-to-voice/${preview!.generated_voice_id}/stream`, {
      secret,
    });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('audio/mpeg');
    expect(stream.headers.get('generated_voice_id')).toBe(preview!.generated_voice_id);
    expect(stream.bytes.equals(Buffer.from(preview!.audio_base_64, 'base64'))).toBe(true);
  });

  it('206: a part of the stream of a preview', async () => {
    const { secret } = await stack.issueKey();
    const [preview] = previewsOf(await design(secret));
    const path = `/v1/text-to-voice/${preview!.generated_voice_id}/stream`;
    const whole = Buffer.from(preview!.audio_base_64, 'base64');
    for (const [range, part] of [
      ['bytes=0-1', whole.subarray(0, 2)],
      ['bytes=1000-', whole.subarray(1_000)],
    ] as const) {
      const { status, headers, bytes } = await stack.request('GET', path, { secret, headers: { range } });
      expect([status, headers.get('accept-ranges')]).toEqual([206, 'bytes']);
      expect(bytes.equals(part)).toBe(true);
    }
  });

  it('with an Idempotency-Key it is designed and charged once, and gives the same response', async () => {
    const key = await stack.issueKey();
    const send = (idempotencyKey: string, body: unknown = designBody({ seed: null })) =>
      stack.request('POST', '/v1/text-to-voice/design', {
        secret: key.secret,
        body,
        headers: { 'idempotency-key': idempotencyKey },
      });
    const first = await send('a');
    const again = await send('a');
    expect(again.bytes.equals(first.bytes)).toBe(true);
    for (const name of ['character-cost', 'generated_voice_ids'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(await creditsUsed(stack, key.keyId)).toBe(100);
    expect((await send('a', designBody({ seed: 9 }))).body.detail?.code).toBe('idempotency_key_reused');
    const refused = designBody({ text: '你'.repeat(100) });
    expect((await send('b', refused)).status).toBe(422);
    expect((await send('b')).status).toBe(200);
  });

  it('says in headers which words and characters have no effect', async () => {
    const { secret } = await stack.issueKey();
    const body = designBody({
      voice_description: 'A calm old man with a zürnend, wobblicious voice',
      text: `${TEXT} 🎈`,
    });
    const { headers } = await design(secret, body);
    expect(headers.get('x-words-without-effect')).toBe('z%C3%BCrnend, wobblicious');
    expect(headers.get('x-unspoken-characters')).toBe('U+1F388');
  });

  it('the same seed and input speak the same, another seed does not', async () => {
    const { secret } = await stack.issueKey();
    const [first, second, third] = await Promise.all([
      design(secret),
      design(secret),
      design(secret, designBody({ seed: 8 })),
    ]);
    const audioOf = (response: { body: Record<string, unknown> }) => previewsOf(response).map(framesOf);
    expect(audioOf(first)).toEqual(audioOf(second));
    expect(audioOf(first)).not.toEqual(audioOf(third));
  });

  it('a text is generated on request', async () => {
    const { secret } = await stack.issueKey();
    const response = await design(secret, designBody({ text: null, auto_generate_text: true }));
    expect(response.status).toBe(200);
    expect((response.body.text as string).length).toBeGreaterThanOrEqual(100);
    expect(response.headers.get('character-cost')).toBe(String([...(response.body.text as string)].length));
  });

  it('another output format is labelled as what it is', async () => {
    const { secret } = await stack.issueKey();
    const response = await design(secret, designBody(), '?output_format=pcm_16000');
    const [preview] = previewsOf(response);
    expect(preview!.media_type).toMatch(/^audio\/(pcm|L16)/i);
    const samples = Buffer.from(preview!.audio_base_64, 'base64').length / 2;
    expect(samples / 16_000).toBeCloseTo(preview!.duration_secs, 1);
  });

  it('unknown fields are ignored', async () => {
    const { secret } = await stack.issueKey();
    expect((await design(secret, designBody({ colour: 'blue' }))).status).toBe(200);
  });
});

describe('402', () => {
  it('too few credits: limit, remaining and cost are named, and nothing is charged', async () => {
    const key = await stack.issueKey({ creditLimit: 99 });
    const { status, body } = await design(key.secret);
    expect(status).toBe(402);
    expect(body.detail).toMatchObject({
      type: 'payment_required',
      code: 'insufficient_credits',
      status: 'quota_exceeded',
      message:
        'This request exceeds your API key quota of 99. You have 99 credits remaining, while 100 credits are required for this request.',
    });
    expect(await creditsUsed(stack, key.keyId)).toBe(0);
  });

  it('more at once than there is credit for: exactly those succeed, and the ledger sums to the limit', async () => {
    const [requests, paid] = isShort() ? [15, 9] : [50, 30];
    const key = await stack.issueKey({ creditLimit: 100 * paid, concurrency: requests });
    const design = () =>
      stack.requestUntilServed('POST', '/v1/text-to-voice/design', {
        secret: key.secret,
        body: designBody(),
      });
    const responses = await Promise.all(Array.from({ length: requests }, design));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(paid).fill(200), ...Array(requests - paid).fill(402)]);
    const [ledger] = await stack.dataSource.query<{ sum: string }[]>(
      'SELECT sum(amount) FROM credit_ledger WHERE key_id = $1',
      [key.keyId],
    );
    expect(ledger?.sum).toBe(String(100 * paid));
  });
});

describe('403', () => {
  it('a format that the tier does not have, before anything is charged', async () => {
    const key = await stack.issueKey({ tier: 'free' });
    const { status, body } = await design(key.secret, designBody(), '?output_format=pcm_44100');
    expect(status).toBe(403);
    expect(body.detail).toMatchObject({ code: 'feature_not_available', param: 'output_format' });
    expect(await creditsUsed(stack, key.keyId)).toBe(0);
  });
});

describe('404', () => {
  it("unknown and another account's preview: byte for byte the same", async () => {
    const [mine, other] = await Promise.all([stack.issueKey(), stack.issueKey()]);
    const [preview] = previewsOf(await design(other.secret));
    const id = preview!.generated_voice_id;
    const stream = (path: string) =>
      stack.request('GET', `/v1/text-to-voice/${path}/stream`, { secret: mine.secret });
    const foreign = await stream(id);
    await stack.dataSource.query('DELETE FROM preview WHERE id = $1', [id]);
    const unknown = await stream(id);
    expect(foreign.status).toBe(404);
    const withoutId = ({ body }: typeof foreign) => JSON.stringify({ ...body.detail, request_id: '' });
    expect(withoutId(foreign)).toBe(withoutId(unknown));
    expect((await stream('..%2f..%2fetc')).status).toBe(404);
    expect((await stream('%F0%9F%98%80')).status).toBe(404);
    expect((await stream('a%00b')).status).toBe(404);
  });
});

describe('422', () => {
  it('a character that cannot be stored, in an unknown field too', async () => {
    const { secret } = await stack.issueKey();
    const { status, body } = await design(secret, designBody({ other: { deep: ['\0'] } }));
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ type: 'string_unicode', loc: ['body', 'other', 'deep', 0] }]);
  });

  it('every problem is reported at once, with what was given', async () => {
    const { secret } = await stack.issueKey();
    const { body } = await design(secret, { voice_description: 'short', loudness: 2 });
    expect(body.detail).toEqual([
      {
        type: 'string_too_short',
        loc: ['body', 'voice_description'],
        msg: 'String should have at least 20 characters',
        input: 'short',
        ctx: { min_length: 20 },
      },
      {
        type: 'less_than_equal',
        loc: ['body', 'loudness'],
        msg: 'Input should be less than or equal to 1',
        input: 2,
        ctx: { le: 1 },
      },
    ]);
  });

  it('a body that is not an object, or none at all', async () => {
    const { secret } = await stack.issueKey();
    for (const body of ['[]', '"text"', 'null', '12']) {
      expect((await design(secret, body)).body.detail).toEqual([
        expect.objectContaining({ type: 'model_attributes_type', loc: ['body'] }),
      ]);
    }
    const none = await stack.request('POST', '/v1/text-to-voice/design', { secret });
    expect(none.body.detail).toEqual([expect.objectContaining({ type: 'missing', loc: ['body'] })]);
  });
});

describe('400, 413 and 415 of a body that cannot be read', () => {
  const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

  it.each([
    ['broken JSON', '{"voice_description": ', 400, 'malformed_json'],
    ['20,000 levels', DEEP, 400, 'malformed_json'],
    ['a prototype as a key', '{"__proto__": {"a": 1}}', 400, 'malformed_json'],
    ['more than the limit', JSON.stringify({ text: 'x'.repeat(1024 * 1024) }), 413, 'request_too_large'],
  ])('%s', async (_, body, status, code) => {
    const { secret } = await stack.issueKey();
    const answer = await design(secret, body);
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toMatchObject({ code, type: 'invalid_request' });
  });

  it('bytes that are not UTF-8', async () => {
    const { secret } = await stack.issueKey();
    const response = await fetch(`${stack.baseUrl}/v1/text-to-voice/design`, {
      method: 'POST',
      headers: { 'xi-api-key': secret, 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    });
    expect(response.status).toBe(400);
  });

  it.each([
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
  ])('a body of type %s', async (type) => {
    const { secret } = await stack.issueKey();
    const answer = await stack.request('POST', '/v1/text-to-voice/design', {
      secret,
      body: JSON.stringify(designBody()),
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(415);
    expect(answer.body.detail).toMatchObject({ code: 'invalid_content_type' });
  });
});
