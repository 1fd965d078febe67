import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { id3Length } from '../../libs/audio/codecs/tags';
import { wavOf } from '../support/audio/signals';
import { areInstalled, installedProgram } from '../support/client-programs';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

type Open = (
  options: { baseUrl: string; apiKey: string },
  samples: { DESCRIPTION: string; TEXT: string; UPLOADED: object },
) => Program;

/** Audio of any client: a stream of the web, or of Node. */
type Audio = AsyncIterable<Uint8Array>;

interface StoredVoice {
  name?: string | undefined;
  fineTuning?: unknown;
  samples: { id?: string | undefined; name?: string | undefined }[];
}

/** What people do with a client, from designing a voice to deleting it. Each step resolves with what the client has read. */
interface Program {
  models: () => PromiseLike<unknown[]>;
  user: () => PromiseLike<unknown>;
  subscription: () => PromiseLike<unknown>;
  usage: () => PromiseLike<unknown>;
  design: () => PromiseLike<string>;
  create: (previewId: string) => PromiseLike<{ voiceId: string; sampleId: string }>;
  voices: () => PromiseLike<unknown[]>;
  search: () => PromiseLike<unknown[]>;
  voice: (voiceId: string) => PromiseLike<StoredVoice>;
  edit: (voiceId: string, name: string) => PromiseLike<unknown>;
  settings: (voiceId: string) => PromiseLike<{ speed?: number | undefined }>;
  editSettings: (voiceId: string, speed: number) => PromiseLike<unknown>;
  sample: (voiceId: string, sampleId: string) => PromiseLike<Audio>;
  speak: (voiceId: string) => PromiseLike<Audio>;
  stream: (voiceId: string) => PromiseLike<Audio>;
  timed: (voiceId: string) => PromiseLike<string[] | undefined>;
  history: () => PromiseLike<string[]>;
  spoken: (itemId: string) => PromiseLike<Audio>;
  deleteSpoken: (itemId: string) => PromiseLike<unknown>;
  upload: (recording: File) => PromiseLike<string>;
  remove: (voiceId: string) => PromiseLike<unknown>;
}

/** Labels of an upload are text to these clients. */
const UPLOADED = { name: 'Harbour, read aloud', labels: '{"accent":"irish"}' };

async function read(audio: Audio): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of audio) parts.push(part);
  return Buffer.concat(parts);
}

const bytesOf = async (audio: Audio): Promise<number> => (await read(audio)).length;

async function secsOf(mp3: Buffer): Promise<number> {
  const { samples, sampleRate } = await decodeAudio(mp3);
  return samples.length / sampleRate;
}

async function consentToRecordings(accountId: string): Promise<void> {
  const path = `/admin/accounts/${accountId}/recordings-consent`;
  const body = { given: true, reason: 'Signed form 12' };
  expect((await staff.send('PUT', path, body, { 'if-match': '*' })).status).toBe(200);
}

let stack: Stack;
let staff: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  staff = await StaffClient.signedIn(stack, 'account_manager');
});

afterAll(async () => {
  await stack.stop();
});

const CLIENTS = ['elevenlabs 1.59.0', '@elevenlabs/elevenlabs-js 2.1.0', '@elevenlabs/elevenlabs-js 2.10.0'];

const withoutTag = (file: Buffer) => file.subarray(id3Length(file));

const openClient = (name: string): Open =>
  new Map(require(installedProgram('older-official-clients.cjs')) as [string, Open][]).get(name)!;

(areInstalled('programs') ? describe : describe.skip).each(CLIENTS)('%s', (name) => {
  let program: Program;
  let voiceId: string;
  let sampleId: string;
  let accountId: string;

  beforeAll(async () => {
    const key = await stack.issueKey({ tier: 'pro' });
    accountId = key.accountId;
    program = openClient(name)(
      { baseUrl: stack.baseUrl, apiKey: key.secret },
      { DESCRIPTION, TEXT, UPLOADED },
    );
    ({ voiceId, sampleId } = await program.create(await program.design()));
  });

  it('reads the models, the user, the subscription and the usage', async () => {
    expect((await program.models()).length).toBeGreaterThan(0);
    expect(await program.user()).toBeDefined();
    expect(await program.subscription()).toBeDefined();
    expect(await program.usage()).toBeDefined();
  });

  it('finds, reads and edits the voice that it has designed and stored', async () => {
    expect(await program.voices()).toHaveLength(1);
    expect(await program.search()).toHaveLength(1);
    await program.edit(voiceId, 'Harbour at dawn');
    expect(await program.voice(voiceId)).toMatchObject({
      name: 'Harbour at dawn',
      fineTuning: expect.any(Object) as object,
    });
    await program.editSettings(voiceId, 1.1);
    expect(await program.settings(voiceId)).toMatchObject({ speed: 1.1 });
    expect(await bytesOf(await program.sample(voiceId, sampleId))).toBeGreaterThan(10_000);
  });

  it('lets it speak, and reads, plays and deletes the history', async () => {
    const spoken = await read(await program.speak(voiceId));
    expect(spoken.length).toBeGreaterThan(10_000);
    // A stream has no frame that gives the length of the whole.
    const streamed = await read(await program.stream(voiceId));
    expect(Math.abs((await secsOf(streamed)) - (await secsOf(spoken)))).toBeLessThan(0.03);
    expect((await program.timed(voiceId))?.join('')).toBe(TEXT);
    const items = await program.history();
    expect(items).toHaveLength(3);
    const kept = await read(await program.spoken(items[0]!));
    // Their tags say when each was made.
    expect(Buffer.compare(withoutTag(kept), withoutTag(spoken))).toBe(0);
    await program.deleteSpoken(items[0]!);
    expect(await program.history()).toEqual(items.slice(1));
  });

  it('stores a voice of a recording that it uploads', async () => {
    await consentToRecordings(accountId);
    const { samples, sampleRate } = await decodeAudio(await read(await program.sample(voiceId, sampleId)));
    const wav = wavOf(samples, sampleRate);
    const uploaded = await program.upload(new File([wav], 'harbour.wav'));
    const [sample] = (await program.voice(uploaded)).samples;
    expect(sample?.name).toBe('harbour.wav');
    expect((await read(await program.sample(uploaded, sample!.id!))).equals(wav)).toBe(true);
    await program.remove(uploaded);
  });

  it('deletes it', async () => {
    await program.remove(voiceId);
    expect(await program.voices()).toEqual([]);
  });
});
