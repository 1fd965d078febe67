import { WebSocket } from 'ws';
import { percentile } from '../lib/compare.mjs';
import { prepareGreenroom, startApi } from '../lib/greenroom.mjs';
import { startPostgres } from '../lib/postgres.mjs';

const SENTENCE = 'The harbour was quiet that morning, and the boats lay still. ';
/** About a minute of speech. */
const LONG_TEXT = SENTENCE.repeat(16);
const AT_ONCE = 50;
/** Bytes of a second as PCM of 16 kHz. */
const BYTES_PER_SEC = 32_000;
const FORMAT = 'output_format=pcm_16000';

/** How soon a voice speaks, how fast it speaks, and what many streams at once cost. */
export async function run({ quick }) {
  const rounds = quick ? 4 : 30;
  const postgres = await startPostgres();
  let api;
  try {
    const bench = await prepareGreenroom(postgres, 'speech', {
      keys: 1,
      permissions: 'all',
      concurrency: 10_000,
    });
    api = await startApi(bench.url, {}, { alone: false });
    const caller = { baseUrl: api.baseUrl, key: bench.keys[0].secret };
    const voiceId = await makeVoice(caller);
    const speak = (text, path = '/stream') => stream(caller, `${voiceId}${path}`, text);
    await speak(SENTENCE);
    const rows = [
      row('one sentence, streamed', await repeat(rounds, () => speak(SENTENCE))),
      row(
        '  the same with timestamps',
        await repeat(rounds, () => speak(SENTENCE, '/stream/with-timestamps')),
      ),
      row(
        '  the same flushed on an open socket',
        await repeat(rounds, () => speakOnSocket(caller, voiceId, SENTENCE)),
      ),
      row('a minute, streamed', await repeat(rounds / 2, () => speak(LONG_TEXT))),
    ];
    const streams = await atOnce(api, () => speak(LONG_TEXT));
    rows.push(row(`a minute, ${AT_ONCE} streams at once`, streams.results));
    const sockets = await atOnce(api, () => speakOnSocket(caller, voiceId, LONG_TEXT));
    rows.push(row(`  the same on ${AT_ONCE} sockets`, sockets.results));
    return {
      title: 'Speaking, one api',
      rows,
      remarks: [
        'real time: seconds of speech for each second until the end.',
        `Memory of the api before the ${AT_ONCE} streams ${streams.restMb} MB, at most ${streams.peakMb} MB during them;`,
        `before the ${AT_ONCE} sockets ${sockets.restMb} MB, at most ${sockets.peakMb} MB during them.`,
      ],
    };
  } finally {
    await api?.stop();
    await postgres.stop();
  }
}

async function atOnce(api, run) {
  const restMb = api.rssMb();
  let peakMb = restMb;
  const watch = setInterval(() => (peakMb = Math.max(peakMb, api.rssMb())), 100);
  const results = await Promise.all(Array.from({ length: AT_ONCE }, run)).finally(() => clearInterval(watch));
  return { results, restMb: Math.round(restMb), peakMb: Math.round(peakMb) };
}

/** The time to connect is not counted: a conversation has one socket. */
async function speakOnSocket({ baseUrl, key }, voiceId, text) {
  const url = `${baseUrl.replace(/^http/, 'ws')}/v1/text-to-speech/${voiceId}/stream-input?${FORMAT}`;
  const socket = new WebSocket(url, { headers: { 'xi-api-key': key } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const startedAt = performance.now();
  let firstMs = 0;
  let bytes = 0;
  socket.on('message', (data) => {
    const { audio, error, message } = JSON.parse(data.toString());
    if (error) socket.emit('error', new Error(message));
    if (audio) firstMs ||= performance.now() - startedAt;
    bytes += Buffer.from(audio ?? '', 'base64').length;
  });
  socket.send(JSON.stringify({ text, flush: true }));
  socket.send(JSON.stringify({ text: '' }));
  await new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
  return { firstMs, ms: performance.now() - startedAt, secs: bytes / BYTES_PER_SEC };
}

async function makeVoice(caller) {
  const voice_description = 'A warm, deep male narrator with a calm and slow pace, for long documentaries.';
  const design = { voice_description, text: SENTENCE.repeat(2) };
  const { previews } = await send(caller, '/v1/text-to-voice/design', design);
  const create = {
    voice_name: 'Bench',
    voice_description,
    generated_voice_id: previews[0].generated_voice_id,
  };
  return (await send(caller, '/v1/text-to-voice', create)).voice_id;
}

async function stream(caller, path, text) {
  const startedAt = performance.now();
  const response = await post(caller, `/v1/text-to-speech/${path}?${FORMAT}`, { text });
  let firstMs = 0;
  let bytes = 0;
  for await (const part of response.body) {
    firstMs ||= performance.now() - startedAt;
    bytes += part.length;
  }
  return { firstMs, ms: performance.now() - startedAt, secs: bytes / BYTES_PER_SEC };
}

async function send(caller, path, body) {
  return (await post(caller, path, body)).json();
}

async function post({ baseUrl, key }, path, body) {
  const headers = { 'xi-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} responded ${response.status}: ${await response.text()}`);
  return response;
}

async function repeat(times, run) {
  const results = [];
  for (let time = 0; time < times; time += 1) results.push(await run());
  return results;
}

function row(name, results) {
  const isPcm = !name.includes('timestamps');
  return {
    name,
    firstByteP50Ms: percentile(
      results.map(({ firstMs }) => firstMs),
      0.5,
    ),
    firstByteP95Ms: percentile(
      results.map(({ firstMs }) => firstMs),
      0.95,
    ),
    endP50Ms: percentile(
      results.map(({ ms }) => ms),
      0.5,
    ),
    realTime: isPcm
      ? percentile(
          results.map(({ secs, ms }) => (secs * 1_000) / ms),
          0.5,
        )
      : null,
    times: results.length,
  };
}
