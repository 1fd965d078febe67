import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WHOLE_FORMATS, OUTPUT_FORMATS } from '../../libs/audio/codecs/output-format';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { listPrograms } from '../../libs/config/find-program';
import { makeVoice, previewsOf, voiceOwnerOfFile } from '../support/previews';
import { designBody, SENTENCES, TEXT } from '../support/samples';
import { SpeechSocketClient } from '../support/speech-socket';
import { Stack } from '../support/stack';
import { TemporaryFolder } from '../support/temporary-folder';

const stack = Stack.ofFile({ worker: false });
const owner = voiceOwnerOfFile(stack);

const folder = TemporaryFolder.make('greenroom-marks-');

/** What ffprobe has read of each format, under which name. */
const table = new Map<string, string>();

afterAll(() => {
  folder.remove();
  process.stdout.write(`${[...table].map(([name, found]) => `${name.padEnd(24)} ${found}`).join('\n')}\n`);
});

const HEADER = 'x-synthetic-audio';
const MARK = /^machine-made; installation=cell-00; at=20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z; id=([\w,]+)$/;
const hasFfprobe = listPrograms('ffprobe', []).length > 0;

const post = (path: string, text: string, more = '') =>
  stack.request('POST', `/v1/text-to-speech/${owner.voiceId}${path}${more}`, {
    secret: owner.secret,
    body: { text, model_id: 'eleven_flash_v2_5' },
  });
const get = (path: string) => stack.request('GET', path, { secret: owner.secret });
const idIn = ({ headers }: { headers: Headers }) => MARK.exec(headers.get(HEADER) ?? '')?.[1];
const isBare = (format: string) => /^(pcm|ulaw|alaw)/.test(format);

/** Every comment that ffprobe finds, of the file and of its sound. */
function probe(bytes: Uint8Array, what: string): string | undefined {
  const file = join(folder.path, 'audio');
  writeFileSync(file, bytes);
  const options = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', file];
  const { format, streams } = JSON.parse(String(execFileSync('ffprobe', options))) as {
    format: { tags?: Record<string, string> };
    streams: { tags?: Record<string, string> }[];
  };
  const tags = Object.entries({ ...format.tags, ...streams[0]?.tags });
  const found = tags.find(([name, value]) => /synthetic_audio/i.test(`${name} ${value}`));
  table.set(what, found ? `${found[0]}=${found[1]}` : 'no mark');
  return found?.[1].replace(/^SYNTHETIC_AUDIO /, '');
}

(hasFfprobe ? describe : describe.skip)('ffprobe reads the mark (skipped where there is no ffprobe)', () => {
  it.each(WHOLE_FORMATS.filter((format) => !isBare(format)))(
    'of speech as %s, in one piece and in three',
    async (format) => {
      for (const text of [TEXT, SENTENCES.join('')]) {
        const response = await post('', text, `?output_format=${format}`);
        expect(response.status).toBe(200);
        expect(probe(response.bytes, format)).toBe(response.headers.get(HEADER));
        expect(idIn(response)).toBe(response.headers.get('history-item-id'));
      }
    },
  );

  it.each(OUTPUT_FORMATS.filter((format) => !isBare(format)))('of a stream as %s', async (format) => {
    const response = await post('/stream', SENTENCES.join(''), `?output_format=${format}`);
    expect(probe(response.bytes, `${format}, stream`)).toBe(response.headers.get(HEADER));
    const stored = await get(`/v1/history/${response.headers.get('history-item-id')}/audio`);
    expect(stored.bytes.equals(response.bytes)).toBe(true);
    expect(idIn(stored)).toBe(idIn(response));
  });

  it.each(['mp3_44100_128', 'opus_48000_64'])(
    'of previews as %s, and of what is stored of them',
    async (format) => {
      const response = await stack.request('POST', `/v1/text-to-voice/design?output_format=${format}`, {
        secret: owner.secret,
        body: designBody(),
      });
      expect(idIn(response)).toBe(response.headers.get('generated_voice_ids'));
      for (const { audio_base_64, generated_voice_id: id } of previewsOf(response)) {
        expect(MARK.exec(probe(Buffer.from(audio_base_64, 'base64'), `${format}, preview`)!)?.[1]).toBe(id);
        const stored = await get(`/v1/text-to-voice/${id}/stream`);
        expect(MARK.exec(probe(stored.bytes, `${format}, stored`)!)?.[1]).toBe(id);
        expect(idIn(stored)).toBe(id);
      }
    },
  );

  it('of a voice, whose sample is the audio of its preview, with its hash', async () => {
    const { voiceId, preview } = await makeVoice(stack, owner.secret);
    const { body } = await get(`/v1/voices/${voiceId}`);
    const played = Buffer.from(await (await fetch(body.preview_url as string)).arrayBuffer());
    const [sample] = body.samples as { sample_id: string; size_bytes: number }[];
    const stored = await get(`/v1/voices/${voiceId}/samples/${sample!.sample_id}/audio`);
    expect(played.equals(stored.bytes)).toBe(true);
    expect(stored.bytes.length).toBe(sample!.size_bytes);
    expect(MARK.exec(probe(stored.bytes, 'sample of a voice')!)?.[1]).toBe(preview.generated_voice_id);
    expect(idIn(stored)).toBe(sample!.sample_id);
  });
});

describe('where there is no place for a comment', () => {
  it.each(OUTPUT_FORMATS.filter(isBare))('%s has the mark in the header only', async (format) => {
    const response = await post('', TEXT, `?output_format=${format}`);
    expect(idIn(response)).toBe(response.headers.get('history-item-id'));
    expect(Buffer.from(response.bytes).includes('machine-made')).toBe(false);
    const stored = await get(`/v1/history/${response.headers.get('history-item-id')}/audio`);
    expect(idIn(stored)).toBe(idIn(response));
    table.set(format, `only the header ${HEADER}`);
  });

  it('without an item of the history, the request names it', async () => {
    const response = await post('', TEXT, '?enable_logging=false');
    expect(idIn(response)).toBe(response.headers.get('request-id'));
  });
});

it('of what a socket speaks one after the other, only the first has it: together it is one recording', async () => {
  const query = 'model_id=eleven_flash_v2_5&output_format=mp3_22050_32';
  const url = `${stack.baseUrl}/v1/text-to-speech/${owner.voiceId}/stream-input?${query}`;
  const client = await SpeechSocketClient.open(url, { 'xi-api-key': owner.secret });
  client.send({ text: ' ' }, ...SENTENCES.map((text) => ({ text, flush: true })), { text: '' });
  await client.closed;
  expect(client.audio.subarray(0, 3).toString()).toBe('ID3');
  expect(client.audio.lastIndexOf('ID3')).toBe(0);
  const { samples, sampleRate, lostSecs } = await decodeAudio(client.audio);
  expect([samples.length > 5 * sampleRate, lostSecs]).toEqual([true, 0]);
});

describe('SYNTHETIC_AUDIO_MARKS=off', () => {
  const unmarked = Stack.ofFile({ worker: false, env: { SYNTHETIC_AUDIO_MARKS: 'off' } });
  const other = voiceOwnerOfFile(unmarked);

  it('marks nothing', async () => {
    const { secret, voiceId } = other;
    const body = { text: TEXT, model_id: 'eleven_flash_v2_5' };
    const { headers, bytes } = await unmarked.request('POST', `/v1/text-to-speech/${voiceId}`, {
      secret,
      body,
    });
    expect([headers.get(HEADER), Buffer.from(bytes).includes('machine-made')]).toEqual([null, false]);
  });
});
