import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { refuseLikeOpenAi, SpecSpeechServer, speakWav } from '../support/speech-server';
import { creditsUsed, makeVoice, previewsOf, soundOf } from '../support/previews';
import { designBody } from '../support/samples';
import { Stack } from '../support/stack';

let server: SpecSpeechServer;
let stack: Stack;

beforeAll(async () => {
  server = new SpecSpeechServer();
  const env = {
    VOICE_ENGINE: 'openai',
    VOICE_ENGINE_URL: await server.start(),
    VOICE_ENGINE_API_KEY: 'sk-1',
  };
  stack = await Stack.start({ worker: false, env });
});

afterAll(async () => {
  await stack.stop();
  await server.stop();
});

beforeEach(() => {
  server.responses = [speakWav];
});

const design = (secret: string, changes: Record<string, unknown> = {}) =>
  stack.request('POST', '/v1/text-to-voice/design', { secret, body: designBody(changes) });

it('designs, streams and remixes voices as the embedded engine does', async () => {
  const { secret } = await stack.issueKey();
  const response = await design(secret);
  expect(response.status).toBe(200);
  const previews = previewsOf(response);
  expect(new Set(previews.map((preview) => preview.audio_base_64)).size).toBe(3);
  for (const preview of previews) {
    const { samples, sampleRate } = await soundOf(preview);
    expect(samples.length / sampleRate).toBeCloseTo(preview.duration_secs, 1);
  }
  const { voiceId } = await makeVoice(stack, secret);
  server.calls.length = 0;
  const remixed = await stack.request('POST', `/v1/text-to-voice/${voiceId}/remix`, {
    secret,
    body: designBody({ voice_description: 'slower' }),
  });
  expect(remixed.status).toBe(200);
  for (const { body, authorization } of server.calls) {
    expect(body.instructions).toContain('Change: slower');
    expect(authorization).toBe('Bearer sk-1');
  }
});

it('speaks with a voice that the server has made, at the speed that is asked for', async () => {
  const { secret, keyId } = await stack.issueKey();
  const { voiceId } = await makeVoice(stack, secret);
  const used = await creditsUsed(stack, keyId);
  server.calls.length = 0;
  const text =
    'The harbour was quiet that morning, and the boats lay still. Fog moved slowly over the sea then.';
  const body = { text, voice_settings: { speed: 1.2 } };
  const spoken = await stack.request('POST', `/v1/text-to-speech/${voiceId}`, { secret, body });
  expect(spoken.status).toBe(200);
  expect(spoken.headers.get('x-voice-engine')).toBe('openai (openai)');
  expect(server.calls.map((call) => call.body.input).join('')).toBe(text);
  expect(Number(server.calls[0]!.body.speed)).toBeGreaterThan(1);
  expect((await decodeAudio(spoken.bytes)).samples.length).toBeGreaterThan(44_100);
  expect(await creditsUsed(stack, keyId)).toBe(used + text.length);
});

it.each([
  ['broken', 503, refuseLikeOpenAi(500), 'service_unavailable'],
  ['refusing', 503, refuseLikeOpenAi(401), 'service_unavailable'],
  ['busy', 429, refuseLikeOpenAi(429), 'system_busy'],
])(
  'a server that is %s gives a %d with Retry-After, and the credits back',
  async (_, status, refuse, code) => {
    const { secret, keyId } = await stack.issueKey();
    server.responses = [refuse];
    const response = await design(secret);
    expect(response.status).toBe(status);
    expect(response.body.detail).toMatchObject({ code });
    expect(JSON.stringify(response.body)).not.toContain('the model is not here');
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await creditsUsed(stack, keyId)).toBe(0);
  },
);

it('a streamed preview that the server then refuses says so in its stream, and the credits are back', async () => {
  const { secret, keyId } = await stack.issueKey();
  server.responses = [refuseLikeOpenAi(404)];
  const [preview] = previewsOf(await design(secret, { stream_previews: true }));
  const stream = await stack.request('GET', `/v1/text-to-voice/${preview!.generated_voice_id}/stream`, {
    secret,
  });
  expect(stream.body.detail).toMatchObject({ code: 'preview_failed' });
  expect(await creditsUsed(stack, keyId)).toBe(0);
});
