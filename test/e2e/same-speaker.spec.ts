import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SameSpeakerResponse } from '../../apps/api/src/voices/staff-same-recordings.dto';
import { speakerOnnxModel } from '../support/audio/onnx-model';
import { joined, mixed, noise, sine, wavOf } from '../support/audio/signals';
import { RecordingSpeakerRepository } from '../../libs/database/reviews/recording-speaker.repository';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { storeVoice, waitForReview } from '../support/stored-voices';

const RATE = 16_000;
const THRESHOLD = 0.8;

const folder = mkdtempSync(join(tmpdir(), 'greenroom-speakers-'));
let stack: Stack;
let support: StaffClient;
let ours: string;
let theirs: string;
/** Two recordings of a "speaker" who hums low, one of the account's and one of another's, and one who hums high. */
let voices: Record<'first' | 'second' | 'foreign' | 'other', string>;

const tone = (hz: number, secs: number, amplitude = 0.3) => sine(hz, { secs, sampleRate: RATE, amplitude });
const quiet = (seed: number) => noise(0.5, RATE, 0.002, seed);

async function reviewed(name: string, accountId: string, sound: Float32Array): Promise<string> {
  const id = await storeVoice(stack, { accountId, name, bytes: wavOf(sound, RATE) });
  await waitForReview(stack, id, 'completed');
  return id;
}

const speakerOf = async (id: string) =>
  (await support.get(`/admin/voices/${id}/same-speaker`)).body as unknown as SameSpeakerResponse;

/** As PostgreSQL has it, in numbers of JavaScript. */
async function vectorOf(voiceId: string): Promise<number[]> {
  const [row] = await stack.dataSource.query<{ vector: number[] }[]>(
    'SELECT vector FROM recording_speaker JOIN voice_sample USING (audio_digest) WHERE voice_id = $1',
    [voiceId],
  );
  return row!.vector;
}

beforeAll(async () => {
  const model = join(folder, 'speakers.onnx');
  writeFileSync(model, speakerOnnxModel());
  stack = await Stack.start({ env: { SPEAKER_MODEL_PATH: model, SAME_SPEAKER_COSINE: String(THRESHOLD) } });
  support = await StaffClient.signedIn(stack, 'support');
  [ours, theirs] = [await stack.openAccount(), await stack.openAccount()];
  voices = {
    first: await reviewed('A calm hum', ours, joined(tone(140, 3), quiet(1))),
    second: await reviewed('Another text', ours, mixed(joined(quiet(2), tone(140, 4)), tone(900, 4.5, 0.05))),
    foreign: await reviewed('Of another account', theirs, joined(quiet(3), tone(140, 2), quiet(4))),
    other: await reviewed('Another speaker', ours, joined(tone(900, 3), quiet(5))),
  };
});

afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

it('names voices of the same speaker, those of the account first, with the cosine of their vectors', async () => {
  const { first, second, foreign } = voices;
  const { items, ...found } = await speakerOf(first);
  expect(found).toEqual({
    has_more: false,
    models: [expect.stringMatching(/^speakers\.onnx [0-9a-f]{12}$/)],
    threshold: THRESHOLD,
    is_complete: true,
  });
  // The other account's is more alike.
  expect(items.map(({ voice_id }) => voice_id)).toEqual([second, foreign]);
  expect(items[1]!.cosine).toBeGreaterThan(items[0]!.cosine);
  expect(items.map(({ account }) => account.id)).toEqual([ours, theirs]);
  const own = await vectorOf(first);
  for (const { voice_id: id, cosine } of items) {
    const vector = await vectorOf(id);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    expect(cosine).toBeCloseTo(
      vector.reduce((sum, x, n) => sum + x * own[n]!, 0),
      3,
    );
    expect(cosine).toBeGreaterThanOrEqual(THRESHOLD);
  }
  expect((await speakerOf(foreign)).items.map(({ voice_id }) => voice_id).toSorted()).toEqual(
    [first, second].toSorted(),
  );
  expect((await speakerOf(voices.other)).items).toEqual([]);
});

it('compares only vectors of one model, and keeps none of a recording that is gone', async () => {
  const { first, second, foreign } = voices;
  await stack.dataSource.query(
    `UPDATE recording_speaker SET model = 'another' FROM voice_sample s WHERE s.audio_digest = recording_speaker.audio_digest AND s.voice_id = $1`,
    [second],
  );
  expect((await speakerOf(first)).items.map(({ voice_id }) => voice_id)).toEqual([foreign]);
  expect(await speakerOf(second)).toMatchObject({ items: [], models: ['another'] });
  // Another review hears it by the model that is configured now.
  await support.post(`/admin/voices/${second}/re-review`, { reason: 'A test' }, { 'if-match': '*' });
  await waitForReview(stack, second, 'completed');
  expect((await speakerOf(first)).items.map(({ voice_id }) => voice_id)).toEqual([second, foreign]);

  const digests = 'SELECT audio_digest FROM voice_sample WHERE voice_id = $1';
  await stack.dataSource.query(`DELETE FROM audio_object WHERE digest IN (${digests})`, [foreign]);
  expect(
    await stack.dataSource.query(`SELECT FROM recording_speaker WHERE audio_digest IN (${digests})`, [
      foreign,
    ]),
  ).toEqual([]);
});

it('a search that takes too long is given up', async () => {
  const speakers = stack.api.get(RecordingSpeakerRepository);
  const search = { voiceId: voices.first, cosine: THRESHOLD, limit: 10 };
  await stack.dataSource.transaction(async (em) => {
    await em.query('LOCK TABLE recording_speaker IN ACCESS EXCLUSIVE MODE');
    expect(await speakers.listSoundAlikes({ ...search, accountId: null })).toBeNull();
    expect(await speakers.listSoundAlikes({ ...search, accountId: ours })).toBeNull();
  });
});

it('401 and 404 name what is wrong', async () => {
  expect(await support.get('/admin/voices/unknown/same-speaker')).toMatchObject({
    status: 404,
    body: { code: 'voice_not_found' },
  });
  expect((await stack.request('GET', `/admin/voices/${voices.first}/same-speaker`)).status).toBe(401);
});
