import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { MessagePort } from 'node:worker_threads';
import { inOrder, type ForeignAudio } from '../codecs/foreign-audio';
import { AudioTaskCrashedError, AudioTaskTimeoutError } from './audio-threads.error';
import { sendParts } from './decoded-parts';

const TIME_LIMIT_MS = 20_000;
/** By the clock, on a machine that is busy: what it may use of the processor is in `LIMITED`. */
const LONGEST_MS = 10 * TIME_LIMIT_MS;
/** Time of the processor, memory, files and dumps: it may write to its pipe only. Some systems have no limit of memory. */
const LIMITED =
  'ulimit -t 20 && ulimit -f 0 && ulimit -c 0 && { ulimit -v 600000 2>/dev/null || :; } && exec "$0" "$@"';
/** Longer sound than a recording may have is refused. */
const MOST_SECS = 601;
const ignore = () => undefined;
const NOT_STARTED = new Set([126, 127]);
const STOPPED: ReadonlySet<NodeJS.Signals | null> = new Set<NodeJS.Signals>(['SIGKILL', 'SIGXCPU']);
const MISSES_DECODER = /decoder .*not found|unknown decoder|no decoder/i;

const PCM = 'pcm_s8,pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be';

/** What reads each container, and the decoders that may be started for it. Films are not looked at. */
const READERS: Record<ForeignAudio['container'], { demuxer: string; decoders: string }> = {
  mp4: { demuxer: 'mov', decoders: `aac,alac,amrnb,amrwb,mp3,mp3float,flac,ac3,eac3,${PCM}` },
  webm: { demuxer: 'matroska', decoders: `aac,alac,vorbis,flac,mp3,mp3float,mp2,ac3,${PCM}` },
  wav: { demuxer: 'wav', decoders: 'adpcm_ms,adpcm_ima_wav,gsm_ms,mp2,mp3,mp3float' },
  amr: { demuxer: 'amr', decoders: 'amrnb,amrwb' },
  adts: { demuxer: 'aac', decoders: 'aac' },
  aiff: { demuxer: 'aiff', decoders: PCM },
  wma: { demuxer: 'asf', decoders: 'wmav1,wmav2,wmapro,wmalossless,wmavoice' },
};

/** Decoders that most recordings need which Greenroom does not decode. */
const USUAL_DECODERS = ['aac', 'alac', 'amrnb', 'amrwb'];

/**
 * An ffmpeg of the operator's. It decodes one recording in a process that has no file, no network, no environment, and
 * limits of time and memory; it gets the bytes through a pipe and returns samples through another.
 */
export class Ffmpeg {
  /** @param path absolute */
  constructor(
    readonly path: string,
    private readonly timeLimitMs = LONGEST_MS,
  ) {}

  /**
   * Decodes a recording into a port, as `partsFrom` reads it.
   *
   * @param signal stops the process
   * @returns whether it has no decoder for the recording
   * @throws AudioTaskTimeoutError, AudioTaskCrashedError when it cannot be started, the signal's reason
   */
  async decode(
    bytes: Uint8Array,
    foreign: ForeignAudio,
    port: MessagePort,
    signal: AbortSignal,
  ): Promise<{ missesDecoder: boolean }> {
    const child = this.start(decodingOf(foreign));
    const kill = () => child.kill('SIGKILL');
    const timer = setTimeout(kill, this.timeLimitMs);
    signal.addEventListener('abort', kill);
    try {
      // One that ends before it has read everything closes its pipe.
      child.stdin!.on('error', ignore).end(inOrder(bytes, foreign));
      const complaints = collect(child);
      const [[code, endedBy]] = await Promise.all([
        once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
        sendParts(child.stdout!, port, signal),
      ]);
      if (STOPPED.has(endedBy)) throw new AudioTaskTimeoutError(this.timeLimitMs);
      if (NOT_STARTED.has(code ?? 0)) throw new AudioTaskCrashedError(`${this.path} cannot be started`);
      return { missesDecoder: MISSES_DECODER.test(complaints()) };
    } catch (error) {
      signal.throwIfAborted();
      throw (error as NodeJS.ErrnoException).syscall ? new AudioTaskCrashedError(error) : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      kill();
      port.postMessage(null);
    }
  }

  /**
   * Tries it within its limits.
   *
   * @returns its version, and which of the usual decoders it has not
   * @throws Error when it cannot be run
   */
  async examine(): Promise<{ version: string; missing: string[] }> {
    const run = async (...args: string[]): Promise<string> => {
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', LIMITED, this.path, ...args], {
        timeout: TIME_LIMIT_MS,
        env: {},
      });
      return stdout;
    };
    const version = /^ffmpeg version (\S+)/.exec(await run('-version'))?.[1];
    if (!version) throw new Error('it is not ffmpeg');
    const decoders = new Set((await run('-hide_banner', '-decoders')).match(/(?<=^ A\S+ )\S+/gm));
    return { version, missing: USUAL_DECODERS.filter((name) => !decoders.has(name)) };
  }

  private start(args: string[]): ChildProcess {
    // `once` in `decode` throws the first; a process that is gone cannot be killed.
    return spawn('/bin/sh', ['-c', LIMITED, this.path, ...args], { cwd: '/', env: {} }).on('error', ignore);
  }
}

function decodingOf({ container }: ForeignAudio): string[] {
  const { demuxer, decoders } = READERS[container];
  const safety = `-nostdin -hide_banner -loglevel error -protocol_whitelist pipe -format_whitelist ${demuxer} -codec_whitelist ${decoders} -threads 1`;
  const input = `-f ${demuxer} -i pipe:0 -map 0:a:0 -vn -sn -dn -map_metadata -1`;
  const output = `-threads 1 -t ${MOST_SECS} -c:a pcm_f32le -bitexact -f wav pipe:1`;
  return [safety, input, output].join(' ').split(' ');
}

const MOST_COMPLAINTS = 4_096;

/** The beginning of what a process says, read to its end so that it does not wait. */
function collect({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr!.on('error', ignore);
  stderr!.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < MOST_COMPLAINTS) text += part;
  });
  return () => text;
}
