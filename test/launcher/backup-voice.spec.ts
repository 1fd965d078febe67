import { decodeAudio } from '@app/audio/codecs/decode-audio';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually';
import { createBody, designBody } from '../support/samples';
import { Launched } from './launched';
import { makeTemporaryFolder, removeFolder } from './temporary-folder';

let folder: string;
let dataDir: string;
let greenroom: Launched | null = null;

beforeAll(() => {
  folder = makeTemporaryFolder();
  dataDir = join(folder, 'data');
});

afterAll(async () => {
  await greenroom?.end('SIGTERM');
  removeFolder(folder);
});

async function run(...args: string[]): Promise<{ code: number | string; output: string }> {
  const command = Launched.greenroom(args, { DATA_DIR: dataDir });
  const code = await command.ended();
  return { code, output: command.output };
}

/** `greenroom start`, with everything it starts; its base URL. */
async function start(): Promise<string> {
  greenroom = Launched.greenroom(['start'], { DATA_DIR: dataDir, PORT: '0' });
  return greenroom.ready();
}

async function stop(): Promise<void> {
  expect(await greenroom!.end('SIGTERM')).toBe(0);
  greenroom = null;
}

interface Voice {
  voice_id: string;
  labelling_status: string;
  samples: { sample_id: string }[];
}

/** What a customer sees of the voice; the links in it are signed for an hour. */
async function fetchVoice(baseUrl: string, secret: string, voiceId: string): Promise<Voice> {
  const response = await fetch(`${baseUrl}/v1/voices/${voiceId}`, { headers: { 'xi-api-key': secret } });
  expect(response.status).toBe(200);
  const { preview_url: _, ...voice } = (await response.json()) as Voice & { preview_url: string };
  return voice;
}

async function fetchSample(baseUrl: string, secret: string, voice: Voice): Promise<Buffer> {
  const path = `/v1/voices/${voice.voice_id}/samples/${voice.samples[0]!.sample_id}/audio`;
  const response = await fetch(`${baseUrl}${path}`, { headers: { 'xi-api-key': secret } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  return Buffer.from(await response.arrayBuffer());
}

async function createReviewedVoice(baseUrl: string, secret: string): Promise<Voice> {
  const headers = { 'xi-api-key': secret, 'content-type': 'application/json' };
  const post = async (path: string, body: object) =>
    (await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const { previews } = (await post('/v1/text-to-voice/design', designBody())) as {
    previews: { generated_voice_id: string }[];
  };
  const { voice_id } = (await post(
    '/v1/text-to-voice',
    createBody(previews[0]!.generated_voice_id),
  )) as Voice;
  return eventually(async () => {
    const voice = await fetchVoice(baseUrl, secret, voice_id);
    expect(voice.labelling_status).toBe('review_complete');
    return voice;
  });
}

it('after backup, wipe, restore and doctor a voice from before plays, for the key from before', async () => {
  const first = await start();
  const { api_key: secret } = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8')) as {
    api_key: string;
  };
  const before = await createReviewedVoice(first, secret);
  const audio = await fetchSample(first, secret, before);
  const file = join(folder, 'backup.tar.gz');
  expect(await run('backup', file)).toMatchObject({ code: 0 });
  await stop();
  rmSync(dataDir, { recursive: true });

  expect(await run('restore', file)).toMatchObject({ code: 0 });
  expect(await run('doctor')).toEqual({
    code: 0,
    output: expect.stringMatching(/^(ok .*\n)+Everything is healthy\.\n$/),
  });

  const second = await start();
  expect(await fetchVoice(second, secret, before.voice_id)).toEqual(before);
  const played = await fetchSample(second, secret, before);
  expect(played.equals(audio)).toBe(true);
  const { samples, sampleRate } = await decodeAudio(played);
  expect(samples.length / sampleRate).toBeGreaterThan(3);
  expect(samples.some((sample) => Math.abs(sample) > 0.1)).toBe(true);
  await stop();
});
