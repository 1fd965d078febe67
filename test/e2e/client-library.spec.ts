import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { eventually } from '../support/eventually';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack } from '../support/stack';

let stack: Stack;
let client: ElevenLabsClient;

beforeAll(async () => {
  stack = await Stack.start();
  const { secret } = await stack.issueKey();
  client = new ElevenLabsClient({ apiKey: secret, baseUrl: stack.baseUrl });
});

afterAll(async () => {
  await stack.stop();
});

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

it('the official client library goes from a description to a reviewed voice', async () => {
  const models = await client.models.list();
  expect(models.map((model) => model.modelId)).toContain('eleven_multilingual_ttv_v2');

  const { previews } = await client.textToVoice.design({ voiceDescription: DESCRIPTION, text: TEXT });
  expect(previews).toHaveLength(3);
  const [chosen, ...others] = previews;
  const streamed = await bytesOf(await client.textToVoice.preview.stream(chosen!.generatedVoiceId));
  const audio = await decodeAudio(streamed);
  expect(audio.samples.length / audio.sampleRate).toBeCloseTo(chosen!.durationSecs, 0);

  const voice = await client.textToVoice.create({
    voiceName: 'From the library',
    voiceDescription: DESCRIPTION,
    generatedVoiceId: chosen!.generatedVoiceId,
    labels: { language: 'en' },
    playedNotSelectedVoiceIds: others.map((preview) => preview.generatedVoiceId),
  });
  expect(voice.labellingStatus).toBe('in_review');

  const reviewed = await eventually(async () => {
    const current = await client.voices.get(voice.voiceId);
    expect(current.labellingStatus).toBe('review_complete');
    return current;
  });
  expect(reviewed.recordingQuality).toMatch(/^(studio|good|ok|poor|bad)$/);
  expect(reviewed.recordingQualityReason).toEqual(expect.any(String));

  const [sample] = reviewed.samples!;
  const sampleAudio = await bytesOf(await client.voices.samples.audio.get(voice.voiceId, sample!.sampleId!));
  expect(sampleAudio.length).toBe(sample!.sizeBytes);
});

it('errors reach the library with status, body and request id', async () => {
  const unknown: unknown = await client.voices.get('x'.repeat(20)).catch((error: unknown) => error);
  expect(unknown).toBeInstanceOf(ElevenLabsError);
  const { statusCode, body, requestId } = unknown as ElevenLabsError;
  expect(requestId).toMatch(/^[0-9a-f]{32}$/);
  expect(statusCode).toBe(404);
  expect(body).toMatchObject({ detail: { code: 'voice_not_found', request_id: requestId } });
});

it('optional fields that are undefined, which the library sends as null, are accepted', async () => {
  const sent: unknown[] = [];
  const { secret } = await stack.issueKey();
  const observed = new ElevenLabsClient({
    apiKey: secret,
    baseUrl: stack.baseUrl,
    fetch: async (input, init) => {
      sent.push(JSON.parse(init?.body as string));
      return fetch(input, init);
    },
  });
  const { previews } = await observed.textToVoice.design({
    voiceDescription: DESCRIPTION,
    text: TEXT,
    seed: undefined,
  });
  const voice = await observed.textToVoice.create({
    voiceName: 'Nulls',
    voiceDescription: DESCRIPTION,
    generatedVoiceId: previews[0]!.generatedVoiceId,
    labels: undefined,
    playedNotSelectedVoiceIds: undefined,
  });
  expect(sent).toMatchObject([{ seed: null }, { labels: null, played_not_selected_voice_ids: null }]);
  expect(voice.labels).toEqual({});
});
