import { latin1, sniffContainer, sniffForeign, sniffMagic } from './container';
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

/** What else a WAV file may hold, by the number of its format (RFC 2361), and what ffmpeg calls it where it is sent there. */
const PACKED: Record<number, { name: string; codec?: string }> = {
  0x02: { name: 'ADPCM', codec: 'adpcm_ms' },
  0x11: { name: 'IMA ADPCM', codec: 'adpcm_ima_wav' },
  0x31: { name: 'GSM', codec: 'gsm_ms' },
  0x45: { name: 'G.726' },
  0x50: { name: 'MPEG', codec: 'mp2' },
  0x55: { name: 'MP3', codec: 'mp3' },
  0x64: { name: 'G.726' },
  0xff: { name: 'AAC' },
  0x161: { name: 'Windows Media' },
  0x2000: { name: 'AC-3' },
};

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
  const { format, start, claimed, longSize, isCredible } = findSamples(bytes);
  const data = isCredible ? bytes.subarray(start, start + claimed) : bytes.subarray(start);
  return describe(format, data, claimed < UNKNOWN_BYTES ? claimed : longSize);
}

/** Where the chunks of a WAV file end; what follows samples that are more than the header claims is taken for more of them. */
export function endOfWav(bytes: Uint8Array): number {
  const { start, claimed, isCredible } = findSamples(bytes);
  const end = isCredible ? endOfChunks(bytes, start + claimed) : bytes.length;
  const isCutOff = isChunkId(bytes.subarray(end, end + 4)) && !isSound(bytes, end);
  return isCutOff ? bytes.length : end;
}

/**
 * What a WAV file holds that is not samples and that ffmpeg decodes, and how long it claims to be; null otherwise.
 *
 * @throws UndecodableAudioError when there is nothing in it
 */
export function packedIn(bytes: Uint8Array): { codec: string; claimedSecs: number } | null {
  const { format, claimed } = findSamples(bytes);
  const codec = format && format.byteLength >= 16 ? PACKED[formatTag(format)]?.codec : undefined;
  if (!codec) return null;
  const bytesPerSec = format!.getUint32(8, true);
  return { codec, claimedSecs: claimed < UNKNOWN_BYTES && bytesPerSec > 0 ? claimed / bytesPerSec : 0 };
}

/** @throws UndecodableAudioError when there are none */
function findSamples(bytes: Uint8Array) {
  let format: DataView | undefined;
  let longSize = 0;
  for (const { at, claimed } of chunksFrom(bytes, 12)) {
    const id = latin1(bytes, at, 4);
    const start = at + 8;
    const body = bytes.subarray(start, start + claimed);
    if (id === 'fmt ') format = new DataView(body.buffer, body.byteOffset, body.byteLength);
    if (id === 'ds64' && body.length >= 16) longSize = Number(readUint64(body, 8));
    if (id === 'data') {
      const isCredible = claimed > 0 && isCredibleTail(bytes, endOfChunks(bytes, start + claimed), claimed);
      return { format, start, claimed, longSize, isCredible };
    }
  }
  throw new UndecodableAudioError(format ? 'a WAV file without samples' : 'a WAV file without a format');
}

/** Whether what follows the last chunk says that the samples end where the header claims: little, zeros, or other sound. */
function isCredibleTail(bytes: Uint8Array, from: number, claimed: number): boolean {
  const tail = bytes.subarray(from);
  if (tail.length <= claimed * (1 - NEARLY_ALL) || sniffContainer(tail) || isSound(bytes, from)) return true;
  return tail.length <= claimed && tail.every((byte) => byte === 0);
}

/** RF64 keeps sizes beyond 32 bits in a separate chunk, ds64 (EBU Tech 3306). */
function readUint64(body: Uint8Array, at: number): bigint {
  return new DataView(body.buffer, body.byteOffset, body.byteLength).getBigUint64(at, true);
}

/**
 * Where the sequence of whole chunks that begins at `start` ends: before one that is sound, or none. Some programs leave out
 * the pad byte after an odd number of bytes.
 */
function endOfChunks(bytes: Uint8Array, start: number): number {
  const [unpadded, padded] = [start, start + 1].map((from) => {
    let end = from;
    for (const { at, claimed } of chunksFrom(bytes, from)) {
      if (!isChunkId(bytes.subarray(at, at + 4)) || isSound(bytes, at) || at + 8 + claimed > bytes.length)
        break;
      end = at + 8 + claimed + (claimed & 1);
    }
    return Math.min(end, bytes.length);
  });
  return padded! > start + 1 ? padded! : unpadded!;
}

/** Whether more samples, or another recording, begin there. */
function isSound(bytes: Uint8Array, at: number): boolean {
  const rest = bytes.subarray(at);
  return latin1(rest, 0, 4) === 'data' || sniffMagic(rest) !== null || sniffForeign(rest) !== null;
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
  if (PACKED[tag]) throw new UndecodableAudioError(`a WAV file with ${PACKED[tag].name}`);
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
