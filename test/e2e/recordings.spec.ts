import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecordingGrader } from '../../libs/audio/threads/recording-grader';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { silentFlac } from '../support/audio/containers';
import { mixed, noise, scaled, wavFile, wavOf } from '../support/audio/signals';
import { worstSample } from '../../libs/domain/reviews/worst-sample';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { createVoices, designPreviews } from '../support/previews';
import { isShort } from '../support/short';
import { Stack, type IssuedKey, type JsonBody } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { waitForReview } from '../support/stored-voices';
import { TemporaryFolder } from '../support/temporary-folder';

const atLength = isShort() ? it.skip : it;
const MIB = 1024 * 1024;

interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

/** The same speech of the embedded engine, as it is, in noise, and clipped. */
interface Recordings {
  clean: NamedFile;
  noisy: NamedFile;
  clipped: NamedFile;
}

let stack: Stack;
let staff: StaffClient;
let recordings: Recordings;

beforeAll(async () => {
  stack = await Stack.start();
  staff = await StaffClient.signedIn(stack, 'account_manager');
  recordings = await record();
});

afterAll(async () => {
  await stack.stop();
});

async function record(): Promise<Recordings> {
  const key = await stack.issueKey();
  const [previewId] = await designPreviews(stack, key);
  const path = `/v1/text-to-voice/${previewId!}/stream`;
  const { bytes } = await stack.request('GET', path, { secret: key.secret });
  const { samples, sampleRate } = await decodeAudio(bytes);
  const hiss = noise(samples.length / sampleRate, sampleRate, 0.05);
  return {
    clean: { name: 'Ünïcode clean.mp3', bytes },
    noisy: { name: 'noisy.wav', bytes: wavOf(mixed(samples, hiss), sampleRate) },
    clipped: { name: 'clipped.wav', bytes: wavOf(scaled(samples, 12), sampleRate) },
  };
}

const clientOf = ({ secret }: IssuedKey) => new ElevenLabsClient({ apiKey: secret, baseUrl: stack.baseUrl });

async function setConsent({ accountId }: IssuedKey, given: boolean): Promise<void> {
  const path = `/admin/accounts/${accountId}/recordings-consent`;
  const body = { given, reason: 'Signed form 12' };
  expect((await staff.send('PUT', path, body, { 'if-match': '*' })).status).toBe(200);
}

/** A key of an account that may upload recordings. */
async function consentedKey(options: Parameters<Stack['issueKey']>[0] = {}): Promise<IssuedKey> {
  const key = await stack.issueKey(options);
  await setConsent(key, true);
  return key;
}

async function send(
  key: IssuedKey,
  files: NamedFile[],
  {
    baseUrl = stack.baseUrl,
    path = '/v1/voices/add',
    fields = { name: 'From recordings' },
    headers = {},
  }: {
    baseUrl?: string;
    path?: string;
    fields?: Record<string, string>;
    headers?: Record<string, string>;
  } = {},
): Promise<{ status: number; body: JsonBody }> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  for (const { name, bytes } of files) body.append('files', new Blob([new Uint8Array(bytes)]), name);
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'xi-api-key': key.secret, ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as JsonBody };
}

async function add(key: IssuedKey, files: NamedFile[], fields?: Record<string, string>): Promise<string> {
  const { status, body } = await send(key, files, { fields });
  expect([status, body]).toEqual([
    200,
    { voice_id: expect.any(String) as string, requires_verification: false },
  ]);
  return body.voice_id as string;
}

const voiceOf = async ({ secret }: IssuedKey, id: string) =>
  (await stack.request('GET', `/v1/voices/${id}`, { secret })).body;

interface Verdict {
  generation: number;
  grade: 'studio' | 'good' | 'ok' | 'poor' | 'bad';
  audio_sha256: string;
  samples: { sample_id: string; grade: Verdict['grade']; score: number | null; reason: string }[] | null;
}

async function verdictOf(id: string): Promise<Verdict> {
  const support = await StaffClient.signedIn(stack, 'support');
  return (await support.get(`/admin/voices/${id}`)).body.verdict as Verdict;
}

const count = async (sql: string, ...values: unknown[]) =>
  (await stack.dataSource.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM ${sql}`, values))[0]!
    .count;

/** What an account must leave behind when its upload is refused: nothing. */
async function expectNothingStored({ accountId }: IssuedKey): Promise<void> {
  expect(await count('voice WHERE account_id = $1', accountId)).toBe(0);
  const unused = `audio_object a WHERE NOT EXISTS (SELECT FROM preview p WHERE p.audio_digest = a.digest)
    AND NOT EXISTS (SELECT FROM voice_sample s WHERE s.audio_digest = a.digest)`;
  expect(await count(unused)).toBe(0);
}

describe('a voice from three recordings', () => {
  let key: IssuedKey;
  let id: string;
  let voice: JsonBody;
  let files: NamedFile[];

  beforeAll(async () => {
    key = await consentedKey();
    files = [recordings.clean, recordings.noisy, recordings.clipped];
    id = await add(key, files, {
      name: 'Three takes',
      description: 'Recorded at home.',
      labels: '{"accent":"irish"}',
      remove_background_noise: 'false',
    });
    await waitForReview(stack, id, 'completed');
    voice = await voiceOf(key, id);
  });

  it('has the name, the description and the labels of the form, and is a clone', () => {
    expect(voice).toMatchObject({
      name: 'Three takes',
      description: 'Recorded at home.',
      labels: { accent: 'irish' },
      category: 'cloned',
      labelling_status: 'review_complete',
    });
  });

  it('keeps each recording with its file name, in their order, and hands it out as it was', async () => {
    const samples = voice.samples as { sample_id: string; file_name: string; mime_type: string }[];
    expect(samples.map(({ file_name }) => file_name)).toEqual(files.map(({ name }) => name));
    expect(samples.map(({ mime_type }) => mime_type)).toEqual(['audio/mpeg', 'audio/wav', 'audio/wav']);
    for (const [index, { sample_id, mime_type }] of samples.entries()) {
      const path = `/v1/voices/${id}/samples/${sample_id}/audio`;
      const { headers, bytes } = await stack.request('GET', path, { secret: key.secret });
      expect(headers.get('content-type')).toBe(mime_type);
      expect(bytes.equals(files[index]!.bytes)).toBe(true);
    }
  });

  it('has each recording graded as it is graded alone, and itself the grade of the worst', async () => {
    const grader = await RecordingGrader.open({ threads: 1 });
    const alone = [];
    for (const { bytes } of files) alone.push((await grader.grade(bytes)).verdict);
    await grader.close();
    const { samples, grade } = await verdictOf(id);
    expect(samples!.map((sample) => [sample.grade, sample.score, sample.reason])).toEqual(
      alone.map((verdict) => [verdict.grade, verdict.score, verdict.reasonText]),
    );
    const worst = worstSample(alone);
    expect(new Set(alone.map((verdict) => verdict.grade)).size).toBeGreaterThan(1);
    expect([grade, voice.recording_quality, voice.recording_quality_reason]).toEqual([
      worst.grade,
      worst.grade,
      worst.reasonText,
    ]);
  });

  it('is found among clones and by that word, and not among designed voices', async () => {
    const search = async (query: string) =>
      (await stack.request('GET', `/v2/voices?${query}`, { secret: key.secret })).body.total_count;
    expect(await search('category=cloned')).toBe(1);
    expect(await search('search=cloned+takes')).toBe(1);
    expect(await search('category=generated')).toBe(0);
    expect(await search('search=generated')).toBe(0);
  });

  it('409: it does not speak and cannot be remixed, because no engine imitates a recording', async () => {
    const speech = await stack.request('POST', `/v1/text-to-speech/${id}`, {
      secret: key.secret,
      body: { text: 'Hello.' },
    });
    const remix = await stack.request('POST', `/v1/text-to-voice/${id}/remix`, {
      secret: key.secret,
      body: { voice_description: 'Deeper and slower.', auto_generate_text: true },
    });
    for (const { status, body } of [speech, remix]) {
      expect([status, body.detail?.code]).toEqual([409, 'voice_not_speakable']);
      expect(body.detail?.message).toContain('created from recordings');
      expect(body.detail?.message).toContain('voices of flite are accepted');
    }
  });

  it('is played to support staff, each recording of it', async () => {
    const support = await StaffClient.signedIn(stack, 'support');
    const samples = voice.samples as { sample_id: string; size_bytes: number }[];
    for (const { sample_id, size_bytes } of samples) {
      const path = `/admin/voices/${id}/audio?reason=A+complaint&sample_id=${sample_id}`;
      const { status, headers } = await support.get(path);
      expect([status, headers.get('content-length')]).toEqual([200, String(size_bytes)]);
    }
    const unknown = await support.get(`/admin/voices/${id}/audio?reason=A+complaint&sample_id=x`);
    expect(unknown.status).toBe(404);
  });
});

describe('samples that are added and deleted', () => {
  it('an edit with files adds them and has all of them reviewed, and a deleted sample no longer counts', async () => {
    const key = await consentedKey();
    const id = await add(key, [recordings.clean]);
    await waitForReview(stack, id, 'completed');
    const first = await voiceOf(key, id);
    expect((await verdictOf(id)).samples).toBeNull();

    const path = `/v1/voices/${id}/edit`;
    const edited = await send(key, [unique(recordings.clipped)], { path, fields: { name: 'Two takes' } });
    expect([edited.status, edited.body]).toEqual([200, { status: 'ok' }]);
    const between = await voiceOf(key, id);
    expect(between).toMatchObject({ name: 'Two takes', samples: [(first.samples as object[])[0], {}] });
    await waitForReview(stack, id, 'completed');
    const both = await voiceOf(key, id);
    const verdict = await verdictOf(id);
    expect([verdict.generation, verdict.samples?.length]).toEqual([2, 2]);
    expect(both.recording_quality).not.toBe(first.recording_quality);

    const [, added] = both.samples as { sample_id: string; hash: string }[];
    const sample = `/v1/voices/${id}/samples/${added!.sample_id}`;
    const deleted = await stack.request('DELETE', sample, { secret: key.secret });
    expect([deleted.status, deleted.body]).toEqual([200, { status: 'ok' }]);
    await waitForReview(stack, id, 'completed');
    expect(await voiceOf(key, id)).toMatchObject({
      recording_quality: first.recording_quality,
      samples: first.samples,
    });
    expect(await verdictOf(id)).toMatchObject({ generation: 3, samples: null });
    expect(await count('audio_object WHERE digest = $1', added!.hash)).toBe(0);
    const [{ sample_id: last }] = first.samples as [{ sample_id: string }];
    const refused = await stack.request('DELETE', `/v1/voices/${id}/samples/${last}`, { secret: key.secret });
    expect([refused.status, refused.body.detail?.code]).toEqual([409, 'only_sample']);
    const actions = await stack.dataSource.query<{ action: string }[]>(
      `SELECT action FROM audit_event WHERE target_id = $1 ORDER BY id`,
      [id],
    );
    expect(actions.map(({ action }) => action)).toEqual(['voice.samples_added', 'voice.sample_deleted']);
  });

  it('422: a voice has 25 recordings at most, also when they come one after the other', async () => {
    const key = await consentedKey();
    const take = (number: number) => ({ name: `${number}.wav`, bytes: shortWav(number) });
    const id = await add(
      key,
      Array.from({ length: 24 }, (_, number) => take(number)),
    );
    const path = `/v1/voices/${id}/edit`;
    expect((await send(key, [take(24), take(25)], { path })).status).toBe(422);
    expect((await send(key, [take(24)], { path })).status).toBe(200);
    expect((await send(key, [take(26)], { path })).status).toBe(422);
    expect((await voiceOf(key, id)).samples).toHaveLength(25);
    await waitForReview(stack, id, 'completed', 120_000);
    expect((await verdictOf(id)).samples).toHaveLength(25);
  });

  it('422: a designed voice keeps its sample, and nothing of the edit is stored', async () => {
    const key = await consentedKey();
    const [voice] = await createVoices(stack, key, [{}]);
    const id = voice!.voice_id as string;
    const { status, body } = await send(key, [recordings.noisy], { path: `/v1/voices/${id}/edit` });
    expect([status, body.detail?.[0]]).toMatchObject([422, { loc: ['body', 'files'] }]);
    expect((await voiceOf(key, id)).name).toBe(voice!.name);
  });

  it('a deleted voice takes its recordings along', async () => {
    const key = await consentedKey();
    const id = await add(key, [
      { name: 'a.wav', bytes: shortWav(90) },
      { name: 'b.wav', bytes: shortWav(91) },
    ]);
    await stack.request('DELETE', `/v1/voices/${id}`, { secret: key.secret });
    await expectNothingStored(key);
  });
});

describe('consent', () => {
  it('403: without it nothing is accepted, and the refusal says who can note it; withdrawn, voices stay', async () => {
    const key = await stack.issueKey();
    const refused = await send(key, [recordings.clean]);
    expect([refused.status, refused.body.detail?.code]).toEqual([403, 'recordings_consent_missing']);
    expect(refused.body.detail?.message).toContain('An account manager or an admin');
    await expectNothingStored(key);
    const mayClone = async () => (await clientOf(key).user.subscription.get()).canUseInstantVoiceCloning;
    expect(await mayClone()).toBe(false);
    await setConsent(key, true);
    expect(await mayClone()).toBe(true);
    const id = await add(key, [recordings.clean]);
    await setConsent(key, false);
    expect((await send(key, [recordings.clean])).status).toBe(403);
    const edit = await send(key, [recordings.noisy], { path: `/v1/voices/${id}/edit` });
    expect([edit.status, edit.body.detail?.code]).toEqual([403, 'recordings_consent_missing']);
    expect((await voiceOf(key, id)).samples).toHaveLength(1);
  });

  it('is noted by account managers, not by support, and the audit log has both changes with their reason', async () => {
    const key = await stack.issueKey();
    const support = await StaffClient.signedIn(stack, 'support');
    const path = `/admin/accounts/${key.accountId}`;
    const body = { given: true, reason: 'Signed form 12' };
    const refused = await support.send('PUT', `${path}/recordings-consent`, body, { 'if-match': '*' });
    expect([refused.status, refused.body.code]).toEqual([403, 'staff_permission_missing']);
    expect((await staff.get(path)).body.recordings_consented_at).toBeNull();
    await setConsent(key, true);
    expect((await staff.get(path)).body.recordings_consented_at).toEqual(expect.any(String));
    await setConsent(key, false);
    const events = await stack.dataSource.query<{ action: string; reason: string }[]>(
      'SELECT action, reason FROM audit_event WHERE account_id = $1 ORDER BY id',
      [key.accountId],
    );
    expect(events).toEqual([
      { action: 'account.recordings_consent_noted', reason: 'Signed form 12' },
      { action: 'account.recordings_consent_withdrawn', reason: 'Signed form 12' },
    ]);
  });
});

/** The same recording as bytes that no other upload has: with a tag (ID3v1) behind it. */
function unique({ name, bytes }: NamedFile): NamedFile {
  return { name, bytes: Buffer.concat([bytes, Buffer.from(`TAG${randomUUID().padEnd(125)}`)]) };
}

/** Half a second of noise; no two numbers give the same. */
function shortWav(seed: number): Uint8Array {
  return wavOf(noise(0.5, 16_000, 0.1, seed + 1), 16_000);
}

describe('422: a file that is not accepted, by its name', () => {
  const zip = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(5_000)]);

  it.each<[string, () => Uint8Array, RegExp]>([
    ['zip.mp3', () => zip, /Found a ZIP archive\. Accepted: WAV/],
    ['hours.flac', () => silentFlac(36_000), /Found more than 600 seconds of audio/],
    ['fast.wav', () => wavFile(new Uint8Array(9_600), { sampleRate: 384_000 }), /sample rate of 384000 Hz/],
    ['large.wav', () => wavFile(new Uint8Array(12 * MIB)), /larger than the 11534336 bytes/],
  ])('%s', async (name, bytes, found) => {
    const key = await consentedKey();
    const good = { name: 'good.wav', bytes: shortWav(1) };
    const { status, body } = await send(key, [good, { name, bytes: bytes() }]);
    expect(status).toBe(422);
    const [problem] = body.detail!;
    expect(problem).toMatchObject({ loc: ['body', 'files', 1], msg: expect.stringMatching(found) as string });
    expect(problem!.msg).toContain(name);
    await expectNothingStored(key);
    expect((await stack.request('GET', '/healthz')).status).toBe(200);
  });

  it('recordings that are longer together than a voice may be', async () => {
    const key = await consentedKey();
    const files = [1, 2, 3, 4].map((n) => ({ name: `${n}.flac`, bytes: silentFlac(590) }));
    const { status, body } = await send(key, files);
    expect([status, body.detail![0]!.msg]).toEqual([
      422,
      'Value error, the recordings are 2365 seconds long together: a voice has at most 1800',
    ]);
    await expectNothingStored(key);
  });

  it('26 files', async () => {
    const key = await consentedKey();
    const files = Array.from({ length: 26 }, (_, n) => ({ name: `${n}.wav`, bytes: shortWav(n) }));
    const { status, body } = await send(key, files);
    expect([status, body.detail?.[0]]).toMatchObject([422, { type: 'too_long', loc: ['body', 'files'] }]);
    await expectNothingStored(key);
  });

  it('no files, or a text where they are expected', async () => {
    const key = await consentedKey();
    const none = await send(key, []);
    expect([none.status, none.body.detail]).toMatchObject([
      422,
      [{ type: 'missing', loc: ['body', 'files'] }],
    ]);
    const asText = await send(key, [], { fields: { name: 'a', files: 'a.wav' } });
    expect([asText.status, asText.body.detail]).toMatchObject([422, [{ loc: ['body', 'files'] }]]);
  });

  it('a form without a name: what it has sent is deleted', async () => {
    const key = await consentedKey();
    const { status, body } = await send(key, [recordings.noisy], { fields: {} });
    expect([status, body.detail]).toMatchObject([422, [{ type: 'missing', loc: ['body', 'name'] }]]);
    await expectNothingStored(key);
  });
});

atLength('a form of 15 files is read without a warning of the process', async () => {
  const folder = TemporaryFolder.make('greenroom-warnings-');
  const warningsFile = join(folder.path, 'warnings.txt');
  writeFileSync(warningsFile, '');
  const api = await ApiProcess.start(stack.config, { warningsFile });
  const files = Array.from({ length: 15 }, (_, n) => ({ name: `${n}.wav`, bytes: shortWav(600 + n) }));
  const { status } = await send(await consentedKey(), files, { baseUrl: api.url });
  await api.stop();
  const warnings = readFileSync(warningsFile, 'utf8');
  folder.remove();
  expect([status, warnings]).toEqual([200, '']);
});

it('400: a client that has as many voices as it may, and nothing of its upload stays', async () => {
  const accountId = await stack.openAccount('creator', { voiceSlots: 1 });
  const key = await consentedKey({ accountId });
  await add(key, [{ name: 'a.wav', bytes: shortWav(200) }]);
  const { status, body } = await send(key, [{ name: 'b.wav', bytes: shortWav(201) }]);
  expect([status, body.detail?.code]).toEqual([400, 'voice_limit_reached']);
  expect(await count('voice WHERE account_id = $1', accountId)).toBe(1);
});

it('a repeat with the same Idempotency-Key gets the same voice', async () => {
  const key = await consentedKey();
  const headers = { 'idempotency-key': randomUUID() };
  const file = { name: 'a.wav', bytes: shortWav(300) };
  const [first, again] = [await send(key, [file], { headers }), await send(key, [file], { headers })];
  expect([first.status, again.body]).toEqual([200, first.body]);
  expect(await count('voice WHERE account_id = $1', key.accountId)).toBe(1);
  const other = await send(key, [{ name: 'a.wav', bytes: shortWav(301) }], { headers });
  expect([other.status, other.body.detail?.code]).toEqual([409, 'idempotency_key_reused']);
});

it('a form that does not end keeps no other waiting, and leaves nothing behind when its client goes away', async () => {
  const key = await consentedKey();
  const boundary = 'x'.repeat(20);
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="a.wav"\r\n\r\n`;
  const gone = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.concat([Buffer.from(part), shortWav(400), Buffer.from(`\r\n${part}abc`)]));
    },
  });
  const request = fetch(`${stack.baseUrl}/v1/voices/add`, {
    method: 'POST',
    headers: { 'xi-api-key': key.secret, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body,
    duplex: 'half' as const,
    signal: gone.signal,
  });
  const isStored = async () =>
    expect(await count('audio_object a WHERE size_bytes = $1', shortWav(400).length)).toBeGreaterThan(0);
  await eventually(isStored);
  await add(await consentedKey(), [{ name: 'b.wav', bytes: shortWav(401) }]);
  gone.abort();
  await expect(request).rejects.toThrow();
  await eventually(async () => expectNothingStored(key));
});

it('the official client library adds a voice and a sample', async () => {
  const key = await consentedKey();
  const client = clientOf(key);
  const toFile = ({ name, bytes }: NamedFile) => new File([new Uint8Array(bytes)], name);
  const { voiceId, requiresVerification } = await client.voices.ivc.create({
    name: 'From the library',
    files: [toFile({ name: 'a.wav', bytes: shortWav(500) })],
    removeBackgroundNoise: false,
    labels: { accent: 'irish' },
  });
  expect(requiresVerification).toBe(false);
  await client.voices.update(voiceId, {
    name: 'Edited',
    files: [toFile({ name: 'b.wav', bytes: shortWav(501) })],
  });
  const voice = await client.voices.get(voiceId);
  expect(voice).toMatchObject({ name: 'Edited', category: 'cloned', labels: { accent: 'irish' } });
  expect(voice.samples?.map(({ fileName }) => fileName)).toEqual(['a.wav', 'b.wav']);
});
