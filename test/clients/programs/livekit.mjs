// LiveKit's agents: one socket for a session, a context for each turn, and a voice that the plugin has built in.
import { initializeLogger } from '@livekit/agents';
import { TTS } from '@livekit/agents-plugin-elevenlabs';

const { BASE_URL, API_KEY, VOICE_ID } = process.env;
const TEXT = 'The harbour was quiet that morning. Then a bell rang, and the day began.';

initializeLogger({ pretty: false, level: 'silent' });
const open = (options) => new TTS({ apiKey: API_KEY, baseURL: `${BASE_URL}/v1`, ...options });

async function secsOf(frames) {
  let secs = 0;
  for await (const event of frames)
    if (typeof event !== 'symbol') secs += event.frame.samplesPerChannel / event.frame.sampleRate;
  return secs;
}

function speak(tts) {
  const stream = tts.stream();
  for (const word of TEXT.split(/(?<= )/)) stream.pushText(word);
  stream.flush();
  stream.endInput();
  return secsOf(stream);
}

const tts = open({ voiceId: VOICE_ID });
const [one, other] = await Promise.all([speak(tts), speak(tts)]);
const next = await speak(tts);
const whole = await secsOf(tts.synthesize(TEXT));
const voices = await tts.listVoices();
const builtIn = open({});
const ofBuiltIn = await speak(builtIn);
await tts.close();
await builtIn.close();
console.log(
  JSON.stringify({
    turns: [one, other, next],
    whole,
    voices: voices.map(({ id }) => id),
    builtIn: ofBuiltIn,
  }),
);
process.exit();
