import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { AudioTaskCrashedError, AudioThreadBrokenError } from './audio-threads.error';
import type { EncodedAudio } from '../codecs/encode-audio';
import { describeForeign } from '../codecs/container';
import type { InspectedAudio } from '../codecs/decode-audio';
import { foreignAudioOf, type ForeignAudio } from '../codecs/foreign-audio';
import { recordingIn } from '../codecs/recording-extent';
import type { Ffmpeg } from './ffmpeg';
import type { FingerprintOptions } from '../fingerprints/recording-fingerprint';
import type { Decoded, FingerprintedAudio, MeasuredAudio } from './measure-task';
import { OutputFormat } from '../codecs/output-format';
import { Pcm } from '../codecs/pcm';
import { BROKEN_THREAD_EXIT } from '@app/domain/common/load-in-thread';
import { Slots } from '@app/domain/common/slots';
import { threadEntry } from './thread-entry';
import { runInTime } from './thread-time';
import { UndecodableAudioError } from '../codecs/undecodable-audio.error';

/** A recording that is read only when there is room for it. The bytes are transferred from the reader, not copied. */
export interface AudioSource {
  sizeBytes: number;
  read(): Promise<Uint8Array>;
}

export interface MeasureOptions {
  signal?: AbortSignal;
  mediaType?: string;
  withWindows?: boolean;
  withFingerprint?: boolean;
  withStretches?: boolean;
}

type Transfer = ArrayBuffer | MessagePort;

interface AudioThreadsOptions {
  threads: number;
  /** Threads that stay when there is nothing to do. */
  idleThreads: number;
  /** Processor time of one task; waiting for a free thread, or for a processor, does not count. */
  taskTimeoutMs: number;
  /** The same by the clock, for a machine that is too busy to let the task run. */
  longestMs: number;
  /** How long a task waits for a free thread at most; undefined: as long as it takes. */
  waitMs: number | undefined;
  /** JavaScript heap of one thread. Samples lie outside it and are limited by the decoder. */
  heapMb: number;
  threadFile: string;
  /** Decodes what Greenroom does not; each thread has one process of it at most. */
  ffmpeg: Ffmpeg | null;
}

const DEFAULTS: AudioThreadsOptions = {
  threads: 2,
  idleThreads: 1,
  taskTimeoutMs: 30_000,
  longestMs: 300_000,
  waitMs: undefined,
  heapMb: 192,
  threadFile: threadEntry(__dirname, 'measure.thread'),
  ffmpeg: null,
};

/** A second of it. */
const WARM_UP_RATE = 44_100;

/** Files that may unpack to many minutes take turns, so that two of them never fill the memory together. */
const LARGE_BYTES = 1_000_000;

/**
 * Decodes, measures and encodes in worker threads, so that the event loop stays free and a hostile file can cost no
 * more than its own thread: a task over its limit of time is killed with its thread, a thread out of memory dies alone, one
 * that cannot load a library ends itself, and the pool replaces them.
 */
export class AudioThreads {
  private readonly options: AudioThreadsOptions;
  private readonly pool: Piscina;
  private readonly slots: Slots;
  private readonly largeSlot = new Slots(1);

  constructor(options: Partial<AudioThreadsOptions> = {}) {
    this.options = { ...DEFAULTS, ...options };
    const { threads, idleThreads, heapMb, threadFile, waitMs } = this.options;
    this.slots = new Slots(threads, waitMs);
    this.pool = new Piscina({
      filename: threadFile,
      minThreads: idleThreads,
      maxThreads: threads,
      idleTimeout: 60_000,
      // Between tasks a thread must be able to clean up, not sleep in Atomics.wait.
      atomics: 'disabled',
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // A thread that dies between two tasks is replaced; no task waits for it.
    this.pool.on('error', () => undefined);
  }

  /**
   * Decodes and measures a recording.
   *
   * @param recording its bytes, which stay the caller's, or where they are to be had
   * @param options.withWindows the result includes the windows for a second opinion (`cutWindows`)
   * @param options.withFingerprint the result includes how the recording sounds (`fingerprintRecording`)
   * @param options.withStretches the result includes the stretches for a model of speakers (`cutStretches`)
   * @throws UndecodableAudioError final: the bytes are not acceptable audio
   * @throws AudioTaskTimeoutError, AudioTaskStarvedError
   * @throws AudioTaskCrashedError, AudioThreadBrokenError
   * @throws the signal's reason when it aborts
   */
  async measure(
    recording: Uint8Array | AudioSource,
    {
      signal,
      mediaType,
      withWindows = false,
      withFingerprint = false,
      withStretches = false,
    }: MeasureOptions = {},
  ): Promise<MeasuredAudio> {
    const isSource = 'read' in recording;
    const measureNow = async () => {
      signal?.throwIfAborted();
      const bytes = isSource ? await unlessAborted(recording.read(), signal) : recording;
      // Bytes may be part of a shared pool, of which nothing can be handed over.
      const own = isSource && ownsItsMemory(bytes) ? bytes : new Uint8Array(bytes);
      const task = { mediaType, withWindows, withFingerprint, withStretches };
      return this.slots.run(() => this.decodeNow<MeasuredAudio>('measure', own, task, signal), signal);
    };
    const sizeBytes = isSource ? recording.sizeBytes : recording.length;
    return sizeBytes > LARGE_BYTES ? this.largeSlot.run(measureNow) : measureNow();
  }

  /**
   * Decodes a file without keeping anything of it, see `inspectAudio`. Its bytes are read when a thread is free for them.
   *
   * @param signal stops the task; one that does not end soon, with its thread
   * @throws UndecodableAudioError
   * @throws AudioTaskTimeoutError, AudioTaskStarvedError
   * @throws AudioTaskCrashedError, AudioThreadBrokenError
   * @throws WaitedTooLongError when no thread was free in time
   * @throws the signal's reason when it aborts
   */
  async inspect(read: AudioSource['read'], signal?: AbortSignal): Promise<InspectedAudio> {
    return this.slots.run(async () => {
      const bytes = await unlessAborted(read(), signal);
      const own = ownsItsMemory(bytes) ? bytes : new Uint8Array(bytes);
      return this.decodeNow<InspectedAudio>('inspect', own, {}, signal);
    }, signal);
  }

  /**
   * How a recording sounds, without anything that is measured.
   *
   * @throws as `inspect`
   */
  async fingerprint(
    recording: Uint8Array,
    options: FingerprintOptions & { mediaType?: string } = {},
    signal?: AbortSignal,
  ): Promise<FingerprintedAudio> {
    const takeNow = async () =>
      this.decodeNow<FingerprintedAudio>('fingerprint', new Uint8Array(recording), options, signal);
    return this.slots.run(takeNow, signal);
  }

  /**
   * Encodes sound like `encodeAudio`.
   *
   * @throws AudioTaskTimeoutError, AudioTaskStarvedError
   * @throws AudioTaskCrashedError, AudioThreadBrokenError
   */
  async encode(pcm: Pcm, format: OutputFormat): Promise<EncodedAudio> {
    const samples = pcm.samples.slice();
    return this.run('encode', { pcm: { ...pcm, samples }, format }, [samples.buffer]);
  }

  /**
   * Measures a moment of noise as the MP3 that voices are stored as: loads what the first recording would wait for.
   *
   * @throws AudioTaskTimeoutError, AudioTaskStarvedError
   * @throws AudioTaskCrashedError, AudioThreadBrokenError
   */
  async warmUp(): Promise<void> {
    const samples = Float32Array.from({ length: WARM_UP_RATE }, (_, n) => ((n * n) % 997) / 9_970);
    const { bytes } = await this.encode({ samples, sampleRate: WARM_UP_RATE }, 'mp3_44100_192');
    await this.measure(bytes, { withFingerprint: true });
  }

  /** Waits for the running tasks, then ends the threads. */
  async close(): Promise<void> {
    await this.pool.close();
  }

  /** Runs a task that decodes; the bytes are handed over. */
  private async decodeNow<T>(
    name: string,
    bytes: Uint8Array,
    task: object,
    signal?: AbortSignal,
  ): Promise<T> {
    const foreign = this.options.ffmpeg && foreignAudioOf(bytes);
    const response = await (foreign
      ? this.decodeBeside<T>(name, recordingIn(bytes, foreign.container), foreign, task, signal)
      : this.runNow<Decoded<T>>(name, { ...task, bytes }, [bytes.buffer as ArrayBuffer], signal));
    if ('undecodable' in response) throw new UndecodableAudioError(response.undecodable);
    return response.decoded;
  }

  /** The process ends with the thread's task, however that ends. */
  private async decodeBeside<T>(
    name: string,
    bytes: Uint8Array,
    foreign: ForeignAudio,
    task: object,
    signal?: AbortSignal,
  ): Promise<Decoded<T>> {
    signal?.throwIfAborted();
    const { port1, port2 } = new MessageChannel();
    const stop = new AbortController();
    const decoding = this.options.ffmpeg!.decode(bytes, foreign, port1, stop.signal).then(
      ({ missesDecoder }) => missesDecoder,
      (error: unknown) => (stop.signal.aborted ? false : Promise.reject(error as Error)),
    );
    decoding.catch(() => undefined);
    try {
      const beside = { ...foreign, sizeBytes: bytes.length, port: port2 };
      const response = await this.runNow<Decoded<T>>(
        name,
        { ...task, bytes: new Uint8Array(0), foreign: beside },
        [port2],
        signal,
      );
      stop.abort();
      if ((await decoding) && 'undecodable' in response)
        throw new UndecodableAudioError(describeForeign(bytes));
      return response;
    } finally {
      stop.abort();
      port1.close();
    }
  }

  private run<T>(name: string, task: object, transferList: Transfer[], signal?: AbortSignal): Promise<T> {
    return this.slots.run(() => this.runNow(name, task, transferList, signal), signal);
  }

  private async runNow<T>(
    name: string,
    task: object,
    transferList: Transfer[],
    signal?: AbortSignal,
  ): Promise<T> {
    const { taskTimeoutMs: limitMs, longestMs } = this.options;
    const canStop = name === 'inspect';
    try {
      return await runInTime<T>(this.pool, task, { name, transferList, limitMs, longestMs, signal, canStop });
    } catch (error) {
      throw signal?.aborted ? signal.reason : asCrash(error);
    }
  }
}

/** The result of a task; throws the signal's reason as soon as it aborts, regardless of what the task still waits for. */
async function unlessAborted<T>(task: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return task;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void task.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function ownsItsMemory({ buffer, byteLength }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}

function asCrash(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (message?.endsWith(`exited with code: ${BROKEN_THREAD_EXIT}`)) return new AudioThreadBrokenError(error);
  const died = code === 'ERR_WORKER_OUT_OF_MEMORY' || message?.startsWith('worker exited');
  return died ? new AudioTaskCrashedError(error) : error;
}
