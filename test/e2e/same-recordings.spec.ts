import type { DeskItemResponse } from '../../apps/api/src/review-desk/staff-review-desk.dto';
import type {
  BlockedVoiceResponse,
  SameRecordingsResponse,
} from '../../apps/api/src/voices/staff-same-recordings.dto';
import type { Page } from '../../apps/api/src/http/pagination';
import { RecordingFingerprintRepository } from '../../libs/database/reviews/recording-fingerprint.repository';
import { AudioStore } from '../../libs/audio-store/audio-store';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { encodeAudio } from '../../libs/audio/codecs/encode-audio';
import { wavOf } from '../support/audio/signals';
import { resample } from '../../libs/audio/signal/resample';
import { makeVoice } from '../support/previews';
import { encodeCursor } from '../../apps/api/src/http/pagination';
import { Stack } from '../support/stack';
import { ANY_VERSION, StaffClient, type StaffResponse } from '../support/staff-client';
import { speechFile, storeVoice, waitForReview } from '../support/stored-voices';

let stack: Stack;
let support: StaffClient;
let manager: StaffClient;
/** A voice that the engine has made, and another text of the same engine. */
let original: string;
let unrelated: string;
/** What a thief would upload: the same sound in three encodings, and as the same bytes. */
let copies: { name: string; bytes: Uint8Array }[];

const found = ({ body }: StaffResponse) => body as unknown as SameRecordingsResponse;
const sameAs = async (id: string) => found(await support.get(`/admin/voices/${id}/same-recordings`));

async function bytesOf(voiceId: string): Promise<Uint8Array> {
  const [sample] = await stack.dataSource.query<{ audio_digest: string }[]>(
    'SELECT audio_digest FROM voice_sample WHERE voice_id = $1',
    [voiceId],
  );
  return (await stack.api.get(AudioStore).find(sample!.audio_digest))!.bytes;
}

async function reviewed(name: string, bytes: Uint8Array): Promise<string> {
  const accountId = await stack.openAccount();
  const id = await storeVoice(stack, { accountId, name, bytes });
  await waitForReview(stack, id, 'completed');
  return id;
}

beforeAll(async () => {
  stack = await Stack.start({ env: { NO_GO_ACTION: 'hold' } });
  support = await StaffClient.signedIn(stack, 'support');
  manager = await StaffClient.signedIn(stack, 'account_manager');
  const key = await stack.issueKey();
  const create = async (text: string) => {
    const { voiceId: id } = await makeVoice(stack, key.secret, { text });
    await waitForReview(stack, id, 'completed');
    return id;
  };
  original = await create(
    'The lighthouse keeper counted the ships each night, and wrote their names in a book that nobody else ever read.',
  );
  unrelated = await create(
    'On market days the square is full of people who shout about the price of apples, of fish and of old clocks.',
  );
  const bytes = await bytesOf(original);
  const sound = await decodeAudio(bytes);
  const telephone = resample(sound.samples, sound.sampleRate, 8_000);
  copies = [
    { name: 'The same file', bytes },
    { name: 'A low bitrate', bytes: (await encodeAudio(sound, 'mp3_22050_32')).bytes },
    { name: 'A medium bitrate', bytes: (await encodeAudio(sound, 'mp3_44100_64')).bytes },
    { name: 'A telephone', bytes: wavOf(telephone, 8_000) },
  ];
});

afterAll(() => stack.stop());

describe('200', () => {
  it('names voices with the same recording, whatever it was encoded as, with their accounts and how sure that is', async () => {
    const ids = [];
    for (const { name, bytes } of copies) ids.push(await reviewed(name, bytes));
    const { items, no_go, no_go_matches, has_more } = await sameAs(original);
    expect({ no_go, no_go_matches, has_more }).toEqual({ no_go: null, no_go_matches: [], has_more: false });
    expect(items.map(({ voice_id }) => voice_id).toSorted()).toEqual(ids.toSorted());
    expect(items[0]).toMatchObject({ name: 'The same file', identical: true, agreement: 1 });
    for (const { identical, agreement } of items.slice(1)) {
      expect(identical).toBe(false);
      expect(agreement).toBeGreaterThan(0.75);
    }
    // Each copy finds the original too, and the other copies.
    expect((await sameAs(ids[2]!)).items).toHaveLength(copies.length);
    expect((await sameAs(unrelated)).items).toEqual([]);
  });

  it('a recording of the no-go list comes back once: held, at the review desk, and let pass by staff', async () => {
    const reason = 'The speaker has objected';
    const listed = found(await support.post(`/admin/voices/${original}/no-go`, { reason }));
    expect(listed.no_go).toMatchObject({ voice_id: original, reason, recordings: 1 });

    const id = await reviewed('Back again', copies[1]!.bytes);
    expect((await sameAs(id)).no_go_matches).toMatchObject([{ voice_id: original, reason }]);
    const safety = async () =>
      (
        await stack.dataSource.query<{ safety_state: string }[]>(
          'SELECT safety_state FROM voice WHERE id = $1',
          [id],
        )
      )[0]!.safety_state;
    expect(await safety()).toBe('held');
    const desk = await support.get('/admin/review-desk?reason=no_go_match');
    const items = (desk.body as unknown as Page<DeskItemResponse>).items;
    expect(items.map(({ voice, note }) => [voice.id, note])).toEqual([[id, expect.stringContaining(reason)]]);
    const other = await reviewed('An honest one', await bytesOf(unrelated));
    expect((await sameAs(other)).no_go_matches).toEqual([]);

    // Staff let it pass: another review holds it no more.
    await support.send('PUT', `/admin/voices/${id}/safety`, { state: 'released', reason }, ANY_VERSION);
    await support.post(`/admin/voices/${id}/re-review`, { reason }, { 'if-match': '*' });
    await waitForReview(stack, id, 'completed');
    expect(await safety()).toBeNull();
  });

  it('a voice that cannot be compared with the list in time is graded, and waits at the review desk', async () => {
    await stack.asOwner(
      `CREATE POLICY all_rows ON no_go_recording USING (true);
       CREATE POLICY slow_search ON no_go_recording AS RESTRICTIVE FOR SELECT
         USING (current_query() NOT LIKE '%keys &&%' OR pg_sleep(2)::text = '');
       ALTER TABLE no_go_recording ENABLE ROW LEVEL SECURITY`,
    );
    try {
      const id = await reviewed('Searched slowly', speechFile());
      const { body } = await support.get('/admin/review-desk?reason=no_go_match');
      const item = (body as unknown as Page<DeskItemResponse>).items.find(({ voice }) => voice.id === id);
      expect(item?.note).toMatch(/^Not compared with all of the no-go list/);
    } finally {
      await stack.asOwner('ALTER TABLE no_go_recording DISABLE ROW LEVEL SECURITY');
    }
  });

  it('a place in the list that a client has made up is refused, and so is an id that none can have', async () => {
    const cursor = encodeCursor(['x', 'y'], { name: 'no-go-voices', filter: {} });
    const { status, body } = await support.get(`/admin/no-go-voices?cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
    const reason = 'A test';
    expect((await support.send('DELETE', '/admin/no-go-voices/%00', { reason })).status).toBe(404);
  });

  it('the list outlives its voice, and an entry is taken off with a reason', async () => {
    const list = async () =>
      ((await support.get('/admin/no-go-voices')).body as unknown as Page<BlockedVoiceResponse>).items;
    expect(await list()).toMatchObject([{ voice_id: original, matches: 1 }]);
    await stack.dataSource.query('DELETE FROM voice WHERE id = $1', [original]);
    const back = await reviewed('Once more', copies[2]!.bytes);
    expect((await sameAs(back)).no_go_matches).toHaveLength(1);

    const reason = 'They agree now';
    expect((await support.send('DELETE', `/admin/no-go-voices/${original}`, { reason })).status).toBe(204);
    expect(await list()).toEqual([]);
    const free = await reviewed('Free', copies[2]!.bytes);
    expect((await sameAs(free)).no_go_matches).toEqual([]);
    const events = await stack.dataSource.query<object[]>(
      `SELECT action, reason FROM audit_event WHERE target_id = $1 AND action LIKE 'voice.no_go%' ORDER BY id`,
      [original],
    );
    expect(events).toEqual([
      { action: 'voice.no_go_added', reason: 'The speaker has objected' },
      { action: 'voice.no_go_removed', reason },
    ]);
  });
});

it('403, 404 and 422 name what is wrong', async () => {
  expect((await manager.post(`/admin/voices/${unrelated}/no-go`, { reason: 'A test' })).status).toBe(403);
  expect((await support.post(`/admin/voices/${unrelated}/no-go`, {})).status).toBe(422);
  expect(await support.get('/admin/voices/unknown/same-recordings')).toMatchObject({
    status: 404,
    body: { code: 'voice_not_found' },
  });
  expect(
    await support.send('DELETE', `/admin/no-go-voices/${unrelated}`, { reason: 'A test' }),
  ).toMatchObject({
    status: 404,
    body: { code: 'no_go_voice_not_found' },
  });
});

it('a search that takes too long is given up, so that no grade waits for it', async () => {
  await stack.dataSource.transaction(async (em) => {
    await em.query('LOCK TABLE recording_fingerprint IN ACCESS EXCLUSIVE MODE');
    const search = stack.api.get(RecordingFingerprintRepository).findCandidates('none', Int32Array.of(1));
    expect(await search).toBeNull();
  });
});
