// CPU per 10 s of 48 kHz audio, and the memory of a worker's threads with files of ten minutes among short ones.
import { createRequire } from 'node:module';
import { measureWorkerMemory } from './worker-memory.mjs';

const require = createRequire(import.meta.url);
const { AudioThreads } = require('../../dist/libs/audio/threads/audio-threads.js');
const { encodeAudio } = require('../../dist/libs/audio/codecs/encode-audio.js');
const { resample } = require('../../dist/libs/audio/signal/resample.js');
const { synthesizeWithFlite } = require('../../dist/libs/voice-engine/flite-synthesizer.js');

const RATE = 48_000;
const SHORT_SECS = 10;
const LONG_SECS = 600;
const WARM_UP = 10;
const LONG_ROUNDS = 6;
const CPU_LIMIT_MS = 90;
const RSS_LIMIT_MB = 400;
const TEXT =
  'The harbour was quiet that morning, and the boats lay still while the fog moved slowly over the sea. ';

export async function measureSpeed({ rounds }) {
  const { wav, mp3 } = await shortRecordings();
  return {
    title: `Reviewing recordings (speech of ${SHORT_SECS} s, 48 kHz)`,
    rows: [
      await measureCpu('CPU of a WAV file', wav, rounds),
      await measureCpu('CPU of an MP3 file', mp3, rounds),
      await measureMemory(wav),
    ],
    remarks: [
      `Memory of a worker process, 2 at a time, ${LONG_ROUNDS} WAV files of ${LONG_SECS} s among short ones, from PostgreSQL: in the end, at its peak, at rest.`,
    ],
  };
}

/** Ten seconds of speech as files. */
export async function shortRecordings() {
  const speech = speak(SHORT_SECS);
  const { bytes: mp3 } = await encodeAudio({ samples: speech, sampleRate: RATE }, 'mp3_44100_192');
  return { wav: toWav(speech), mp3 };
}

async function measureCpu(measure, bytes, rounds) {
  const { first, readings } = await reviewCpuMs(bytes, rounds);
  readings.sort((a, b) => a - b);
  const ms = (value) => `${value.toFixed(0)} ms`;
  return {
    measure,
    median: ms(readings[Math.floor(rounds / 2)]),
    slowest: ms(readings.at(-1)),
    first: ms(first),
    'aim for': ms(CPU_LIMIT_MS),
  };
}

/** CPU in ms of measuring a recording, `rounds` times in a warm thread, and of the first time. */
export async function reviewCpuMs(bytes, rounds) {
  const threads = new AudioThreads({ threads: 1 });
  const first = await cpuMs(() => threads.measure(bytes));
  for (let n = 1; n < WARM_UP; n++) await threads.measure(bytes);
  const readings = [];
  for (let n = 0; n < rounds; n++) readings.push(await cpuMs(() => threads.measure(bytes)));
  await threads.close();
  return { first, readings };
}

/** CPU of all threads of this process. */
async function cpuMs(run) {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}

async function measureMemory(short) {
  const long = toWav(repeated(speak(SHORT_SECS), LONG_SECS));
  const { atRestMb, afterMb, peakMb } = await measureWorkerMemory({ short, long, rounds: LONG_ROUNDS });
  const mb = (value) => `${value.toFixed(0)} MB`;
  return {
    measure: 'memory of a worker',
    median: mb(afterMb),
    slowest: mb(peakMb),
    first: mb(atRestMb),
    'aim for': mb(RSS_LIMIT_MB),
  };
}

/** Speech with the noise of a quiet room, so that every measurement has something to do. */
function speak(secs) {
  const spoken = synthesizeWithFlite(TEXT.repeat(Math.ceil(secs / 5)), {
    voice: 'slt',
    f0: 180,
    f0sd: 20,
    stretch: 1,
  });
  const samples = resample(spoken.samples, spoken.sampleRate, RATE).slice(0, secs * RATE);
  let seed = 1;
  return samples.map((sample) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return sample + (seed / 0x7fffffff - 0.5) * 6e-4;
  });
}

function repeated(samples, secs) {
  const output = new Float32Array(secs * RATE);
  for (let at = 0; at < output.length; at += samples.length)
    output.set(samples.subarray(0, output.length - at), at);
  return output;
}

function toWav(samples) {
  const wav = Buffer.alloc(44 + samples.length * 2);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + samples.length * 2, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(samples.length * 2, 40);
  for (let n = 0; n < samples.length; n++)
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, samples[n])) * 32_767), 44 + n * 2);
  return wav;
}
