import { latin1 } from './container';
import { bytesPerSample, PcmCodec } from './decode-pcm';
import { UndecodableAudioError } from './undecodable-audio.error';

export interface WavHeader {
  codec: PcmCodec;
  sampleRate: number;
  channels: number;
  /** The sample bytes that the file really holds, whether its header claims more or fewer. */
  data: Uint8Array;
  /** Bytes that the header says there are; 0 when the recorder did not know. */
  claimedBytes: number;
}

/** Programs that write to a pipe claim this much, or more. */
const UNKNOWN_BYTES = 0x7fff_0000;

/** Headers may be off by a few samples. */
export const NEARLY_ALL = 0.99;

/** Recorders write a handful. Each costs time on the event loop, however few bytes it has. */
const MAX_CHUNKS = 1000;

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_ALAW = 6;
const FORMAT_MULAW = 7;
const FORMAT_EXTENSIBLE = 0xfffe;

interface Chunk {
  /** Where it begins. */
  at: number;
  /** Bytes behind its header of eight, as it claims. */
  claimed: number;
}

/**
 * Reads a WAV file's `fmt ` and `data` chunks (RIFF and RF64; plain and extensible formats). Claimed sizes are never
 * trusted: recorders that were cut off leave 0 or 0xFFFFFFFF, and the data then runs to the end of the file. So it does
 * where the claim is too small, which shows in what follows: it is not a sequence of chunks.
 *
 * @throws UndecodableAudioError when a chunk is missing, there are more than MAX_CHUNKS, or the sample format is not one of PcmCodec
 */
export function readWavHeader(bytes: Uint8Array): WavHeader {
  let format: DataView | undefined;
  let longSize = 0;
  for (const { at, claimed } of chunksFrom(bytes, 12)) {
    const id = latin1(bytes, at, 4);
    const body = bytes.subarray(at + 8, at + 8 + claimed);
    if (id === 'fmt ') format = new DataView(body.buffer, body.byteOffset, body.byteLength);
    if (id === 'ds64' && body.length >= 16) longSize = Number(readUint64(body, 8));
    if (id === 'data') {
      const isCredible = claimed > 0 && strayBytes(bytes, at + 8, claimed) <= claimed * (1 - NEARLY_ALL);
      const data = isCredible ? body : bytes.subarray(at + 8);
      return describe(format, data, claimed < UNKNOWN_BYTES ? claimed : longSize);
    }
  }
  throw new UndecodableAudioError(format ? 'a WAV file without samples' : 'a WAV file without a format');
}

/** RF64 keeps sizes beyond 32 bits in a separate chunk, ds64 (EBU Tech 3306). */
function readUint64(body: Uint8Array, at: number): bigint {
  return new DataView(body.buffer, body.byteOffset, body.byteLength).getBigUint64(at, true);
}

/** Bytes behind the samples that are not chunks. Some programs leave out the pad byte after an odd number of bytes. */
function strayBytes(bytes: Uint8Array, start: number, length: number): number {
  const end = start + length;
  const unpadded = bytes.length - endOfChunks(bytes, end);
  return length & 1 ? Math.min(unpadded, bytes.length - endOfChunks(bytes, end + 1)) : unpadded;
}

/** Where the sequence of whole chunks that begins at `start` ends. */
function endOfChunks(bytes: Uint8Array, start: number): number {
  let end = start;
  for (const { at, claimed } of chunksFrom(bytes, start)) {
    if (!isChunkId(bytes.subarray(at, at + 4)) || at + 8 + claimed > bytes.length) break;
    end = at + 8 + claimed + (claimed & 1);
  }
  return Math.min(end, bytes.length);
}

/** Walks the headers of chunks from `start` to the end of the file. */
function* chunksFrom(bytes: Uint8Array, start: number): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = start; at + 8 <= bytes.length;) {
    if (++count > MAX_CHUNKS)
      throw new UndecodableAudioError(`a WAV file with more than ${MAX_CHUNKS} chunks`);
    const claimed = view.getUint32(at + 4, true);
    yield { at, claimed };
    at += 8 + claimed + (claimed & 1);
  }
}

/** Four printable characters. */
function isChunkId(id: Uint8Array): boolean {
  return id.every((byte) => byte >= 0x20 && byte <= 0x7e);
}

function describe(format: DataView | undefined, data: Uint8Array, claimedBytes: number): WavHeader {
  if (!format || format.byteLength < 16) throw new UndecodableAudioError('a WAV file without a format');
  const tag = formatTag(format);
  const channels = format.getUint16(2, true);
  const sampleRate = format.getUint32(4, true);
  const blockBytes = format.getUint16(12, true);
  const bits = format.getUint16(14, true);
  const codec = codecOf(tag, bits);
  if (!codec) throw new UndecodableAudioError(`a WAV file of format ${tag} with ${bits}-bit samples`);
  if (blockBytes !== channels * bytesPerSample(codec)) {
    throw new UndecodableAudioError(
      `a WAV file whose ${blockBytes}-byte blocks do not fit ${channels} x ${bits} bits`,
    );
  }
  return { codec, sampleRate, channels, data, claimedBytes };
}

function formatTag(format: DataView): number {
  const tag = format.getUint16(0, true);
  return tag === FORMAT_EXTENSIBLE && format.byteLength >= 26 ? format.getUint16(24, true) : tag;
}

function codecOf(tag: number, bits: number): PcmCodec | undefined {
  const table: Record<number, Record<number, PcmCodec>> = {
    [FORMAT_PCM]: { 8: 'pcm_u8', 16: 'pcm_s16le', 24: 'pcm_s24le', 32: 'pcm_s32le' },
    [FORMAT_FLOAT]: { 32: 'pcm_f32le', 64: 'pcm_f64le' },
    [FORMAT_ALAW]: { 8: 'pcm_alaw' },
    [FORMAT_MULAW]: { 8: 'pcm_mulaw' },
  };
  return table[tag]?.[bits];
}
