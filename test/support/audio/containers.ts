import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, Output, type OutputFormat } from 'mediabunny';
import { createOggEncoder } from 'wasm-media-encoders';
import { seededRandom } from './signals';

/** Just enough writers of containers to make good, lying and hostile files without an encoder. */

/** One Ogg page per packet (RFC 3533). `granules[n]` is the position after packet n, in samples. */
export function oggFile(packets: Uint8Array[], granules: number[]): Uint8Array {
  return oggPages(
    packets.map((packet) => [packet]),
    granules,
  );
}

function oggPages(pages: Uint8Array[][], granules: number[]): Uint8Array {
  const bytes = pages.map((packets, n) => {
    const flags = n === 0 ? 2 : n === pages.length - 1 ? 4 : 0;
    return oggPage(packets, flags, granules[n] ?? 0, n);
  });
  return new Uint8Array(Buffer.concat(bytes));
}

function oggPage(packets: Uint8Array[], flags: number, granule: number, sequence: number): Buffer {
  const segments = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  const header = Buffer.alloc(27 + segments.length);
  header.write('OggS', 0, 'latin1');
  header[5] = flags;
  header.writeBigInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(77, 14);
  header.writeUInt32LE(sequence, 18);
  header[26] = segments.length;
  header.set(segments, 27);
  const page = Buffer.concat([header, ...packets]);
  page.writeUInt32LE(crc(page, 32, 0x04c11db7), 22);
  return page;
}

/**
 * Ogg Opus of silence: packets with nothing but a header byte (20 ms each) decode to it (RFC 6716). Its positions begin at
 * `from`, in samples.
 */
export function silentOpus(
  packetCount: number,
  { channels = 1, frameCode = 0x98, from = 0, packetsInPage = 1 } = {},
): Uint8Array {
  const head = Buffer.from('OpusHead\x01\x01\x00\x00\x80\xbb\x00\x00\x00\x00\x00', 'latin1');
  head[9] = channels;
  const tags = Buffer.from('OpusTags\x00\x00\x00\x00\x00\x00\x00\x00', 'latin1');
  const pages = Array.from({ length: Math.ceil(packetCount / packetsInPage) }, (_, n) =>
    Array<Uint8Array>(Math.min(packetsInPage, packetCount - n * packetsInPage)).fill(
      Uint8Array.of(frameCode),
    ),
  );
  const ends = pages.map((page, n) => from + (n * packetsInPage + page.length) * 960);
  return oggPages([[head], [tags], ...pages], [0, 0, ...ends]);
}

/** A FLAC file of silence: 65,535 samples in 16 bytes. Its header may claim another length. */
export function silentFlac(secs: number, { claimedSecs = secs, sampleRate = 48_000 } = {}): Uint8Array {
  const blockSamples = 65_535;
  const frame = Buffer.from([0xff, 0xf8, 0x7d, 0x08, 0, 0, 0, 0, 0, 0, 0x00, 0, 0, 0, 0]);
  frame.writeUInt16BE(blockSamples - 1, 5);
  frame.writeUInt16BE(sampleRate, 7);
  frame[9] = crc(frame.subarray(0, 9), 8, 0x07);
  frame.writeUInt16BE(crc(frame.subarray(0, -2), 16, 0x8005), frame.length - 2);
  const frames = Array<Buffer>(Math.ceil((secs * sampleRate) / blockSamples)).fill(frame);
  const head = streamInfo(sampleRate, Math.round(claimedSecs * sampleRate), { blockSamples });
  return new Uint8Array(Buffer.concat([head, ...frames]));
}

/** A FLAC file with verbatim 16-bit subframes of 4096 samples (RFC 9639). */
export function flacFile(samples: Int16Array, sampleRate: number, { claimedChannels = 1 } = {}): Uint8Array {
  const head = streamInfo(sampleRate, samples.length, { blockSamples: 4096, channels: claimedChannels });
  return new Uint8Array(Buffer.concat([head, ...flacFrames(samples, sampleRate)]));
}

/** The same in Ogg, a frame a page (RFC 9639 section 10.1). */
export function oggFlacFile(samples: Int16Array, sampleRate: number): Uint8Array {
  const head = streamInfo(sampleRate, samples.length, { blockSamples: 4096 });
  const mapping = Buffer.from('\x7fFLAC\x01\x00\x00\x01', 'latin1');
  const comments = Buffer.from([0x84, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]);
  const frames = flacFrames(samples, sampleRate);
  const granules = frames.map((_, n) => Math.min((n + 1) * 4096, samples.length));
  return oggFile([Buffer.concat([mapping, head]), comments, ...frames], [0, 0, ...granules]);
}

function flacFrames(samples: Int16Array, sampleRate: number): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < samples.length; at += 4096) {
    frames.push(flacFrame(samples.subarray(at, at + 4096), at / 4096, sampleRate));
  }
  return frames;
}

function streamInfo(sampleRate: number, length: number, { blockSamples = 0, channels = 1 }): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(blockSamples, 0);
  info.writeUInt16BE(blockSamples, 2);
  info.writeUInt32BE(((sampleRate << 12) | ((channels - 1) << 9) | (15 << 4)) >>> 0, 10);
  info.writeUInt32BE(length, 14);
  return Buffer.concat([Buffer.from('fLaC\x80\x00\x00\x22', 'latin1'), info]);
}

function flacFrame(samples: Int16Array, number: number, sampleRate: number): Buffer {
  const header = Buffer.from([0xff, 0xf8, 0x7d, 0x08, number & 0x7f, 0, 0, 0, 0, 0]);
  header.writeUInt16BE(samples.length - 1, 5);
  header.writeUInt16BE(sampleRate & 0xffff, 7);
  header[9] = crc(header.subarray(0, 9), 8, 0x07);
  const body = Buffer.alloc(1 + samples.length * 2);
  body[0] = 0x02;
  samples.forEach((sample, n) => body.writeInt16BE(sample, 1 + n * 2));
  const frame = Buffer.concat([header, body, Buffer.alloc(2)]);
  frame.writeUInt16BE(crc(frame.subarray(0, -2), 16, 0x8005), frame.length - 2);
  return frame;
}

export async function vorbisFile(channels: Float32Array[], sampleRate: number): Promise<Uint8Array> {
  const encoder = await createOggEncoder();
  encoder.configure({ channels: channels.length as 1 | 2, sampleRate, vbrQuality: 3 });
  return new Uint8Array(Buffer.concat([encoder.encode(channels).slice(), encoder.finalize().slice()]));
}

const PACKET_SECS = 0.02;
const OPUS_HEAD = Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\x00\x00\x00\x00\x00', 'latin1');

/** Opus of silence in WebM or MP4: a packet is a header byte, and padding so that it can be cut. */
export async function packetFile(format: OutputFormat, secs: number): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  const decoderConfig = { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, description: OPUS_HEAD };
  const packet = new Uint8Array(60);
  packet[0] = 0x98;
  for (let n = 0; n < secs / PACKET_SECS; n++)
    await source.add(new EncodedPacket(packet, 'key', n * PACKET_SECS, PACKET_SECS), { decoderConfig });
  await output.finalize();
  return new Uint8Array(target.buffer!);
}

/** Frames of 12.2 kbit/s (3GPP TS 26.101) with bits by chance. */
export function amrFile(frameCount = 200): Uint8Array {
  return framesOf(Buffer.from('#!AMR\n'), Buffer.from([0x3c]), 32, frameCount);
}

/** Frames of AAC-LC, 44.1 kHz, mono (ISO/IEC 14496-3), with bits by chance. */
export function adtsFile(frameCount = 50): Uint8Array {
  return framesOf(Buffer.alloc(0), Buffer.from([0xff, 0xf1, 0x50, 0x40, 0x08, 0x1f, 0xfc]), 64, frameCount);
}

function framesOf(head: Buffer, frameHead: Buffer, frameBytes: number, count: number): Uint8Array {
  const random = seededRandom(3);
  const frames = Array.from({ length: count }, () =>
    Buffer.concat([
      frameHead,
      Buffer.from(Array.from({ length: frameBytes - frameHead.length }, () => random() * 256)),
    ]),
  );
  return new Uint8Array(Buffer.concat([head, ...frames]));
}

/** A second of silence, 8 kHz. */
export function aiffFile(): Uint8Array {
  const chunk = (id: string, body: Buffer) => {
    const head = Buffer.from(`${id}\0\0\0\0`, 'latin1');
    head.writeUInt32BE(body.length, 4);
    return Buffer.concat([head, body]);
  };
  const format = Buffer.from([0, 1, 0, 0, 0x1f, 0x40, 0, 16, 0x40, 0x0b, 0xfa, 0, 0, 0, 0, 0, 0, 0]);
  const chunks = [chunk('COMM', format), chunk('SSND', Buffer.alloc(8 + 16_000))];
  return new Uint8Array(chunk('FORM', Buffer.concat([Buffer.from('AIFF'), ...chunks])));
}

/** The objects of an ASF file, with nothing in them. */
export function wmaFile(): Uint8Array {
  const object = (guid: string, body: Buffer) => {
    const head = Buffer.alloc(24);
    head.write(guid, 'hex');
    head.writeUInt32LE(24 + body.length, 16);
    return Buffer.concat([head, body]);
  };
  return new Uint8Array(
    Buffer.concat([
      object('3026b2758e66cf11a6d900aa0062ce6c', Buffer.alloc(6)),
      object('3626b2758e66cf11a6d900aa0062ce6c', Buffer.alloc(1_000)),
      object('90080033b1e5cf1189f400a0c90349cb', Buffer.alloc(32)),
    ]),
  );
}

function crc(bytes: Uint8Array, width: 8 | 16 | 32, polynomial: number): number {
  const top = 2 ** (width - 1);
  const mask = 2 ** width - 1;
  let value = 0;
  for (const byte of bytes) {
    value = (value ^ (byte * 2 ** (width - 8))) >>> 0;
    for (let bit = 0; bit < 8; bit++)
      value = ((value & top ? (value << 1) ^ polynomial : value << 1) & mask) >>> 0;
  }
  return value;
}
