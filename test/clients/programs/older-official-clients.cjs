// What people do with older official clients, from designing a voice to deleting it. Each step resolves with what the client
// has read.
const { ElevenLabsClient: Client159 } = require('elevenlabs');
const { ElevenLabsClient: Client21 } = require('elevenlabs-2-1');
const { ElevenLabsClient: Client210 } = require('elevenlabs-2-10');

/** The first client, whose fields are spelled as on the wire. */
function programOf159(client, { DESCRIPTION, TEXT, UPLOADED }) {
  const design = { voice_description: DESCRIPTION, text: TEXT };
  return {
    models: () => client.models.getAll(),
    user: () => client.user.get(),
    subscription: () => client.user.getSubscription(),
    usage: () => client.usage.getCharactersUsageMetrics({ start_unix: 1, end_unix: Date.now() }),
    design: async () => (await client.textToVoice.createPreviews(design)).previews[0].generated_voice_id,
    create: async (generated_voice_id) => {
      const voice = await client.textToVoice.createVoiceFromPreview({
        voice_name: 'Harbour',
        voice_description: DESCRIPTION,
        generated_voice_id,
      });
      return { voiceId: voice.voice_id, sampleId: voice.samples[0].sample_id };
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
function programOf2(client, create, { DESCRIPTION, TEXT, UPLOADED }) {
  return {
    models: () => client.models.list(),
    user: () => client.user.get(),
    subscription: () => client.user.subscription.get(),
    usage: () => client.usage.get({ startUnix: 1, endUnix: Date.now() }),
    design: async () => {
      const designed = await client.textToVoice.createPreviews({ voiceDescription: DESCRIPTION, text: TEXT });
      return designed.previews[0].generatedVoiceId;
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

const voiceFrom = (generatedVoiceId, { DESCRIPTION }) => ({
  voiceName: 'Harbour',
  voiceDescription: DESCRIPTION,
  generatedVoiceId,
});

/** Names of the clients, and what opens each with `{ baseUrl, apiKey }`. */
module.exports = [
  ['elevenlabs 1.59.0', (options, samples) => programOf159(new Client159(options), samples)],
  [
    '@elevenlabs/elevenlabs-js 2.1.0',
    (options, samples) => {
      const client = new Client21(options);
      return programOf2(
        client,
        async (previewId) => {
          const voice = await client.textToVoice.createVoiceFromPreview(voiceFrom(previewId, samples));
          return { voiceId: voice.voiceId, sampleId: voice.samples[0].sampleId };
        },
        samples,
      );
    },
  ],
  [
    '@elevenlabs/elevenlabs-js 2.10.0',
    (options, samples) => {
      const client = new Client210(options);
      return programOf2(
        client,
        async (previewId) => {
          const voice = await client.textToVoice.create(voiceFrom(previewId, samples));
          return { voiceId: voice.voiceId, sampleId: voice.samples[0].sampleId };
        },
        samples,
      );
    },
  ],
];
