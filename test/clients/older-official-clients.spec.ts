import { ElevenLabsClient as Client159 } from 'elevenlabs-1-59';
import { ElevenLabsClient as Client21 } from 'elevenlabs-2-1';
import { ElevenLabsClient as Client210 } from 'elevenlabs-2-10';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { wavOf } from '../../libs/audio/signal/spec-signals';
import { DESCRIPTION, TEXT } from '../support/samples';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';

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

/** The first client, whose fields are spelled as on the wire. */
function programOf159(client: Client159): Program {
  const design = { voice_description: DESCRIPTION, text: TEXT };
  return {
    models: () => client.models.getAll(),
    user: () => client.user.get(),
    subscription: () => client.user.getSubscription(),
    usage: () => client.usage.getCharactersUsageMetrics({ start_unix: 1, end_unix: Date.now() }),
    design: async () => (await client.textToVoice.createPreviews(design)).previews[0]!.generated_voice_id,
    create: async (generated_voice_id) => {
      const voice = await client.textToVoice.createVoiceFromPreview({
        voice_name: 'Harbour',
        voice_description: DESCRIPTION,
        generated_voice_id,
      });
      return { voiceId: voice.voice_id, sampleId: voice.samples![0]!.sample_id! };
    },
    voices: async () => (await client.voices.getAll()).voices,
    search: async () => (await client.voices.search({ search: 'harbour' })).voices,
    voice: async (voiceId) => {
      const { name, fine_tuning, samples = [] } = await client.voices.get(voiceId);
      return {
        name,
        fineTuning: fine_tuning,
        samples: samples.map((sample) => ({ id: sample.sample_id, name: sample.file_name })),
      };
    },
    edit: (voiceId, name) => client.voices.edit(voiceId, { name }),
    settings: (voiceId) => client.voices.getSettings(voiceId),
    editSettings: (voiceId, speed) => client.voices.editSettings(voiceId, { speed }),
    sample: (voiceId, sampleId) => client.samples.getAudio(voiceId, sampleId),
    speak: (voiceId) => client.textToSpeech.convert(voiceId, { text: TEXT }),
    stream: (voiceId) => client.textToSpeech.convertAsStream(voiceId, { text: TEXT }),
    timed: async (voiceId) => {
      const timed = await client.textToSpeech.convertWithTimestamps(voiceId, { text: TEXT });
      return timed.alignment?.characters;
    },
    history: async () => (await client.history.getAll()).history.map(({ history_item_id: itemId }) => itemId),
    spoken: (itemId) => client.history.getAudio(itemId),
    deleteSpoken: (itemId) => client.history.delete(itemId),
    upload: async (recording) => {
      const voice = await client.voices.add({
        ...UPLOADED,
        files: [recording],
        remove_background_noise: false,
      });
      return voice.voice_id;
    },
    remove: (voiceId) => client.voices.delete(voiceId),
  };
}

/** What later clients have in common. */
function programOf2(client: Client21 | Client210, create: Program['create']): Program {
  return {
    models: () => client.models.list(),
    user: () => client.user.get(),
    subscription: () => client.user.subscription.get(),
    usage: () => client.usage.get({ startUnix: 1, endUnix: Date.now() }),
    design: async () => {
      const designed = await client.textToVoice.createPreviews({ voiceDescription: DESCRIPTION, text: TEXT });
      return designed.previews[0]!.generatedVoiceId;
    },
    create,
    voices: async () => (await client.voices.getAll()).voices,
    search: async () => (await client.voices.search({ search: 'harbour' })).voices,
    voice: async (voiceId) => {
      const { name, fineTuning, samples = [] } = await client.voices.get(voiceId);
      return {
        name,
        fineTuning,
        samples: samples.map(({ sampleId: id, fileName }) => ({ id, name: fileName })),
      };
    },
    edit: (voiceId, name) => client.voices.update(voiceId, { name }),
    settings: (voiceId) => client.voices.settings.get(voiceId),
    editSettings: (voiceId, speed) => client.voices.settings.update(voiceId, { speed }),
    sample: async (voiceId, sampleId) => await client.voices.samples.audio.get(voiceId, sampleId),
    speak: async (voiceId) => await client.textToSpeech.convert(voiceId, { text: TEXT }),
    stream: async (voiceId) => await client.textToSpeech.stream(voiceId, { text: TEXT }),
    timed: async (voiceId) => {
      const timed = await client.textToSpeech.convertWithTimestamps(voiceId, { text: TEXT });
      return timed.alignment?.characters;
    },
    history: async () => (await client.history.list()).history.map(({ historyItemId }) => historyItemId),
    spoken: async (itemId) => await client.history.getAudio(itemId),
    deleteSpoken: (itemId) => client.history.delete(itemId),
    upload: async (recording) => {
      const form = { ...UPLOADED, files: [recording], removeBackgroundNoise: false };
      return (await client.voices.ivc.create(form)).voiceId;
    },
    remove: (voiceId) => client.voices.delete(voiceId),
  };
}

const voiceFrom = (generatedVoiceId: string) => ({
  voiceName: 'Harbour',
  voiceDescription: DESCRIPTION,
  generatedVoiceId,
});

interface Options {
  baseUrl: string;
  apiKey: string;
}

const CLIENTS: [name: string, open: (options: Options) => Program][] = [
  ['elevenlabs 1.59.0', (options) => programOf159(new Client159(options))],
  [
    '@elevenlabs/elevenlabs-js 2.1.0',
    (options) => {
      const client = new Client21(options);
      return programOf2(client, async (previewId) => {
        const voice = await client.textToVoice.createVoiceFromPreview(voiceFrom(previewId));
        return { voiceId: voice.voiceId, sampleId: voice.samples![0]!.sampleId! };
      });
    },
  ],
  [
    '@elevenlabs/elevenlabs-js 2.10.0',
    (options) => {
      const client = new Client210(options);
      return programOf2(client, async (previewId) => {
        const voice = await client.textToVoice.create(voiceFrom(previewId));
        return { voiceId: voice.voiceId, sampleId: voice.samples![0]!.sampleId! };
      });
    },
  ],
];

async function read(audio: Audio): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of audio) parts.push(part);
  return Buffer.concat(parts);
}

const bytesOf = async (audio: Audio): Promise<number> => (await read(audio)).length;

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

describe.each(CLIENTS)('%s', (_, open) => {
  let program: Program;
  let voiceId: string;
  let sampleId: string;
  let accountId: string;

  beforeAll(async () => {
    const key = await stack.issueKey({ tier: 'pro' });
    accountId = key.accountId;
    program = open({ baseUrl: stack.baseUrl, apiKey: key.secret });
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
    const spoken = await bytesOf(await program.speak(voiceId));
    expect(spoken).toBeGreaterThan(10_000);
    expect(await bytesOf(await program.stream(voiceId))).toBe(spoken);
    expect((await program.timed(voiceId))?.join('')).toBe(TEXT);
    const items = await program.history();
    expect(items).toHaveLength(3);
    expect(await bytesOf(await program.spoken(items[0]!))).toBe(spoken);
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
