import { InvalidInput } from '@app/domain/common/invalid-input';
import type { ServerResponse } from 'node:http';
import { SpecSpeechServer, speakWav } from '../../test/support/speech-server';
import { UpstreamEngine, type UpstreamSpec } from './upstream.engine';

let server: SpecSpeechServer;
let engine: UpstreamEngine;

beforeEach(async () => {
  server = new SpecSpeechServer();
  engine = new UpstreamEngine({ url: await server.start(), apiKey: 'sk_test', retryAfterMs: 5 });
});

afterEach(async () => {
  await engine.close();
  await server.stop();
});

const SPEC: UpstreamSpec = { engine: 'elevenlabs', generatedVoiceId: 'preview', voiceId: 'voice' };
const speak = async (spec = SPEC) =>
  engine.speak({
    accountId: 'one',
    spec,
    text: 'Ready. <break time="1s"/> Go.',
    speed: 1.1,
    outputFormat: 'pcm_16000',
    modelId: 'eleven_v3',
  });
const respond = (status: number, body: object) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

it('speaks with the voice and the model of the upstream, and counts what it takes', async () => {
  server.responses = [
    (response, call) => {
      response.setHeader('character-cost', '10');
      speakWav(response, call);
    },
  ];
  expect(await speak()).toMatchObject({ mediaType: 'audio/pcm;rate=16000', durationSecs: 2 });
  expect(server.calls).toEqual([
    expect.objectContaining({
      path: '/v1/text-to-speech/voice?output_format=mp3_44100_128',
      body: { text: 'Ready. <break time="1s"/> Go.', model_id: 'eleven_v3', voice_settings: { speed: 1.1 } },
    }),
  ]);
  expect(engine.costs.total).toBe(10);
});

it('never sends again what broke off, and sends again what was not begun', async () => {
  const breakOff = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': '1000' }).write('RIFF');
    setImmediate(() => response.destroy());
  };
  server.responses = [breakOff];
  await expect(speak()).rejects.toMatchObject({ failure: 'failed' });
  expect(server.calls).toHaveLength(1);
  server.responses = [respond(503, {}), speakWav];
  await speak();
  expect(server.calls).toHaveLength(3);
});

it.each([401, 402, 403, 404])('fails when it is refused with %d, and quotes the reason', async (status) => {
  server.responses = [respond(status, { detail: { message: 'Not so.' } })];
  await expect(speak()).rejects.toMatchObject({
    failure: 'failed',
    message: expect.stringContaining(`responded ${status}: Not so.`),
  });
});

it('says when to come back to a busy one', async () => {
  server.responses = [
    (response) => void response.writeHead(429, { 'retry-after': '30' }).end('{"detail": "busy"}'),
  ];
  await expect(speak()).rejects.toMatchObject({ failure: 'busy', options: { retryAfterSecs: 30 } });
});

it('passes on what is wrong with a field', async () => {
  const detail = [{ loc: ['body', 'voice_description'], msg: 'Too rude', type: 'value_error' }];
  server.responses = [respond(422, { detail })];
  const error = await engine
    .adopt({ ...SPEC, voiceId: null }, { name: 'A', description: 'B' })
    .catch((e) => e);
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error.problems).toEqual([
    { type: 'value_error', path: ['voice_description'], msg: 'Too rude', input: null },
  ]);
});

it('creates a voice once', async () => {
  server.responses = [respond(200, { voice_id: 'theirs' })];
  const kept = await engine.adopt({ ...SPEC, voiceId: null }, { name: 'A', description: 'B' });
  expect(kept).toEqual({ ...SPEC, voiceId: 'theirs' });
  expect(await engine.adopt(kept, { name: 'A', description: 'B' })).toEqual(kept);
  expect(server.calls).toHaveLength(1);
});

it.each([
  ['no credits left', respond(200, { character_count: 10, character_limit: 10 }), '10 of 10 are used'],
  ['a page', (response: ServerResponse) => void response.writeHead(200).end('<html>'), 'sent no JSON'],
])('a check that finds %s fails', async (_, answer, message) => {
  server.responses = [answer];
  await expect(engine.check()).rejects.toThrow(message);
});
