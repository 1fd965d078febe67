// The AI SDK, through its own function for speech.
import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { experimental_generateSpeech as generateSpeech } from 'ai';

const { BASE_URL, API_KEY, VOICE_ID } = process.env;

const elevenlabs = createElevenLabs({
  apiKey: API_KEY,
  // The provider has no base of its own: its requests go where this says.
  fetch: (url, init) => fetch(String(url).replace('https://api.elevenlabs.io', BASE_URL), init),
});
const speak = async (options) => {
  const { audio, warnings } = await generateSpeech({
    model: elevenlabs.speech('eleven_flash_v2_5'),
    text: 'Hello from the SDK.',
    voice: VOICE_ID,
    ...options,
  });
  return { mediaType: audio.mediaType, bytes: audio.uint8Array.length, warnings };
};
const plain = await speak({});
const detailed = await speak({
  outputFormat: 'pcm',
  language: 'en',
  speed: 1.1,
  providerOptions: {
    elevenlabs: { voiceSettings: { stability: 0.5, style: 0.2 }, seed: 7, enableLogging: false },
  },
});
const refused = await speak({ voice: 'x'.repeat(20), maxRetries: 0 }).catch(({ message, statusCode }) => ({
  message,
  statusCode,
}));
console.log(JSON.stringify({ plain, detailed, refused }));
