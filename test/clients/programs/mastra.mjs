// Mastra's voice, with the speaker that it has built in.
import { ElevenLabsVoice } from '@mastra/voice-elevenlabs';
import { ElevenLabsClient } from 'elevenlabs';

const { BASE_URL, API_KEY, VOICE_ID } = process.env;

async function bytesOf(stream) {
  let bytes = 0;
  for await (const part of stream) bytes += part.length;
  return bytes;
}

const voice = new ElevenLabsVoice({ speechModel: { name: 'eleven_multilingual_v2', apiKey: API_KEY } });
// It has no setting for the base: its client, of the same library, is replaced by one that has.
voice.client = new ElevenLabsClient({ apiKey: API_KEY, baseUrl: BASE_URL });
const speakers = await voice.getSpeakers();
const spoken = await bytesOf(await voice.speak('Hello from Mastra.', { speaker: VOICE_ID }));
const builtIn = await bytesOf(await voice.speak('Hello from Mastra.'));
console.log(JSON.stringify({ speakers: speakers.map(({ voiceId }) => voiceId), spoken, builtIn }));
