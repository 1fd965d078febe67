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
  const unknown = client.voices.get('x'.repeat(20));
  await expect(unknown).rejects.toBeInstanceOf(ElevenLabsError);
  await expect(unknown).rejects.toMatchObject({
    statusCode: 404,
    body: { detail: { code: 'voice_not_found' } },
  });
});

it('optional fields that are sent as null are accepted where the contract allows null', async () => {
  const { previews } = await client.textToVoice.design({ voiceDescription: DESCRIPTION, text: TEXT });
  const voice = await client.textToVoice.create({
    voiceName: 'Nulls',
    voiceDescription: DESCRIPTION,
    generatedVoiceId: previews[0]!.generatedVoiceId,
    labels: undefined,
    playedNotSelectedVoiceIds: undefined,
  });
  expect(voice.labels).toEqual({});
});
