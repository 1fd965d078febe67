import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import type { SpokenHereResponse } from '../../apps/api/src/history/spoken-clip.dto';
import { cut } from '../support/audio/clips';
import { wavOf } from '../support/audio/signals';
import { eventually } from '../support/eventually';
import { voiceOwnerOfFile } from '../support/previews';
import { SENTENCES, TEXT } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

const stack = Stack.ofFile();
const owner = voiceOwnerOfFile(stack);
let support: StaffClient;

beforeAll(async () => {
  support = await StaffClient.signedIn(stack, 'support');
});

/** Said once in this file: an item of the same words by the same voice sounds the same. */
const UNIQUE = 'Seven yellow machines counted every orange letter between the mountain and the frozen river.';
const reason = 'Complaint 4711: who spoke this?';
const look = async (bytes: Uint8Array, client = support) =>
  client.post('/admin/history/spoken', { audio_base64: Buffer.from(bytes).toString('base64'), reason });
const itemsIn = ({ body }: { body: unknown }) => (body as SpokenHereResponse).items;

async function speak(text: string, format: string, path = '') {
  const { headers, bytes } = await stack.request(
    'POST',
    `/v1/text-to-speech/${owner.voiceId}${path}?output_format=${format}`,
    { secret: owner.secret, body: { text, model_id: 'eleven_flash_v2_5' } },
  );
  const sound = await decodeAudio(bytes, undefined, headers.get('content-type')!);
  return {
    id: headers.get('history-item-id')!,
    clip: (at: number, secs: number) => wavOf(cut(sound, at, secs).samples, sound.sampleRate),
  };
}

const heardAll = () =>
  eventually(async () => {
    const due = await stack.dataSource.query<object[]>(
      'SELECT FROM history_fingerprint WHERE due_at IS NOT NULL',
    );
    expect(due).toHaveLength(0);
  });

describe('200', () => {
  it.each([
    ['mp3_44100_128', '/stream'],
    ['opus_48000_64', '/stream'],
    ['wav_16000', ''],
    ['ulaw_8000', ''],
    ['pcm_22050', '/stream'],
  ])('a clip of what was spoken as %s is found, with who had it spoken', async (format, path) => {
    const { id, clip } = await speak(SENTENCES.join('').repeat(3), format, path);
    await heardAll();
    // In its last third: the pieces are decoded six at a time.
    for (const at of [1, 20]) {
      const items = itemsIn(await look(clip(at, 2.5)));
      expect(items.find(({ history_item_id: found }) => found === id)).toMatchObject({
        account: { id: owner.accountId },
        voice_id: owner.voiceId,
        text: SENTENCES.join('').repeat(3),
      });
    }
  });

  it('what was never spoken is not, and neither is what was deleted', async () => {
    const { id, clip } = await speak(UNIQUE, 'mp3_44100_128');
    expect(itemsIn(await look(clip(1, 2)))).toEqual([]);
    await heardAll();
    expect(itemsIn(await look(clip(1, 2)))).toMatchObject([{ history_item_id: id, text: UNIQUE }]);
    await stack.request('DELETE', `/v1/history/${id}`, { secret: owner.secret });
    expect(itemsIn(await look(clip(1, 2)))).toEqual([]);
  });

  it('who looked, why, and what was found is in the audit log', async () => {
    const { id, clip } = await speak(`${TEXT} Once more.`, 'mp3_44100_128');
    await heardAll();
    await look(clip(1, 3));
    const [event] = await stack.dataSource.query<object[]>(
      `SELECT action, reason, after FROM audit_event WHERE action = 'history.clip_searched' ORDER BY id DESC LIMIT 1`,
    );
    expect(event).toMatchObject({ reason, after: { duration_secs: 3, found: expect.arrayContaining([id]) } });
  });
});

describe('403', () => {
  it('those who may not listen to voices may not look', async () => {
    const { clip } = await speak(TEXT, 'pcm_16000');
    for (const role of ['account_manager', 'ops'] as const)
      expect((await look(clip(1, 2), await StaffClient.signedIn(stack, role))).status).toBe(403);
  });
});

describe('422', () => {
  it('a clip that is too short, is no recording, or no base64 names what is wrong', async () => {
    const { clip } = await speak(TEXT, 'pcm_16000');
    const texts = [
      await look(clip(1, 1.5)),
      await look(Buffer.from('no recording')),
      await support.post('/admin/history/spoken', { audio_base64: '*', reason }),
    ];
    expect(texts.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect(JSON.stringify(texts[0]!.body)).toContain('should be at least 2 s of a recording; found 1.5 s');
    expect(JSON.stringify(texts[1]!.body)).toContain('should be a recording; found');
  });
});
