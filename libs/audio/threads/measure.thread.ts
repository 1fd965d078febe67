import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { decodeAudio, DEFAULT_LIMITS, inspectAudio } from '../codecs/decode-audio';
import type { ForeignStream } from '../codecs/foreign-audio';
import { cutWindows } from '../measures/dnsmos-windows';
import { encodeAudio, EncodedAudio } from '../codecs/encode-audio';
import { fingerprintRecording } from '../fingerprints/recording-fingerprint';
import { cutStretches } from '../measures/speech-stretches';
import { audiblePart } from '../measures/silence';
import { measureRecording } from '../measures/measure-recording';
import { OutputFormat } from '../codecs/output-format';
import { Pcm } from '../codecs/pcm';
import { UndecodableAudioError } from '../codecs/undecodable-audio.error';
import type {
  Decoded,
  DecodeTask,
  FingerprintedAudio,
  FingerprintTask,
  MeasuredAudio,
  MeasureTask,
} from './measure-task';
import { partsFrom } from './decoded-parts';
import { lowerThreadPriority } from './lower-priority';
import { timed } from './thread-time';

lowerThreadPriority('review');

// The decoders print every damaged frame; what matters of it is in the result.
console.error = () => undefined;

/** Samples lie outside the heap, and give the collector no reason to run: after as many as a minute has, it is started explicitly. */
const MANY_SAMPLES = 3_000_000;
const collectGarbage = findCollector();
let uncollected = 0;
/** For the samples of a short recording: half a minute of them. One task runs at a time. */
const room = new Float32Array(1_500_000);

/** Only a context that is created while the flag is set has it. All threads share the flags: one that starts at the same time may unset it. */
function findCollector(): () => void {
  for (let attempt = 1; attempt <= 1_000; attempt++) {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('globalThis.gc') as (() => void) | undefined;
    // Compiled code is stored with the flags of the process, and refused under others.
    setFlagsFromString('--no-expose-gc');
    if (gc) return gc;
  }
  throw new Error('V8 does not expose its garbage collector.');
}

/** A task that decodes a recording. */
function decoding<Task extends DecodeTask, T>(run: (task: Task, isStopped: () => boolean) => Promise<T>) {
  return timed(async (task: Task, isStopped): Promise<Decoded<T>> => {
    try {
      return { decoded: await run(task, isStopped) };
    } catch (error) {
      if (error instanceof UndecodableAudioError) return { undecodable: error.found };
      throw error;
    }
  });
}

export const measure = decoding(async (task: MeasureTask): Promise<MeasuredAudio> => {
  const {
    samples: decoded,
    balance,
    lostSecs,
    ...info
  } = await decodeAudio(recordingOf(task), DEFAULT_LIMITS, task.mediaType, room);
  // The pool holds the task until its result is in; the file itself is not needed that long.
  task.bytes = new Uint8Array(0);
  if (decoded.buffer !== room.buffer) uncollected += decoded.length;
  const isDue = uncollected > MANY_SAMPLES;
  if (isDue) collectGarbage();
  const { sampleRate } = info;
  const durationSecs = decoded.length / sampleRate;
  const samples = audiblePart(decoded, sampleRate);
  const measured = await measureRecording({ samples, sampleRate, balance, lostSecs });
  const measurements = { ...measured, durationSecs };
  const windows = task.withWindows ? cutWindows(samples, sampleRate) : null;
  const fingerprint = task.withFingerprint ? fingerprintRecording(samples, sampleRate) : null;
  const stretches = task.withStretches ? cutStretches(samples, sampleRate) : null;
  if (isDue) setImmediate(collectGarbage);
  if (isDue) uncollected = 0;
  return { measurements, audioInfo: { ...info, durationSecs }, windows, fingerprint, stretches };
});

function recordingOf({ bytes, foreign }: DecodeTask): Uint8Array | ForeignStream {
  return foreign ? { ...foreign, parts: partsFrom(foreign.port) } : bytes;
}

export const fingerprint = decoding(async (task: FingerprintTask): Promise<FingerprintedAudio> => {
  const { samples, sampleRate } = await decodeAudio(recordingOf(task), DEFAULT_LIMITS, task.mediaType, room);
  const durationSecs = samples.length / sampleRate;
  return { fingerprint: fingerprintRecording(samples, sampleRate, task), durationSecs };
});

export const inspect = decoding(async (task: DecodeTask, isStopped) =>
  inspectAudio(recordingOf(task), DEFAULT_LIMITS, isStopped),
);

export const encode = timed(
  async ({ pcm, format }: { pcm: Pcm; format: OutputFormat }): Promise<EncodedAudio> => {
    return encodeAudio(pcm, format);
  },
);
