import { loadInThread } from '@app/domain/common/load-in-thread';
import { randomInt } from 'node:crypto';
import { OggWriter } from './ogg-writer';

const SAMPLE_RATE = 48_000;
/** 20 ms. */
const FRAME = 960;
/** What libopus starts late, at 48 kHz, when it encodes for sound of every kind. */
const PRE_SKIP = 312;
/** In a page: 200 ms, so that a reader has the beginning soon. */
const PACKETS_PER_PAGE = 10;
/** OPUS_SET_BITRATE of libopus. */
const SET_BITRATE = 4002;

type Encoder = Awaited<ReturnType<typeof openEncoder>>;

/** Mono Ogg Opus (RFC 7845) of sound at 48 kHz that comes in parts: it decodes to exactly the samples that went in. */
export class OpusStream {
  private readonly ogg = new OggWriter(randomInt(2 ** 32 - 1));
  private readonly packets: Uint8Array[] = [];
  private rest = new Float32Array(0);
  private received = 0;
  private encoded = 0;

  private constructor(private readonly encoder: Encoder) {}

  static async open(bitrateKbps: number): Promise<OpusStream> {
    return new OpusStream(await loadInThread(async () => openEncoder(bitrateKbps)));
  }

  encode(samples: Float32Array, isLast: boolean): Uint8Array {
    const pages = this.received === 0 ? [this.ogg.page([head()], 0), this.ogg.page([opusTags()], 0)] : [];
    this.received += samples.length;
    const missing = isLast ? this.missingSamples(samples.length) : 0;
    const sound = join(this.rest, samples, new Float32Array(missing));
    let at = 0;
    for (; at + FRAME <= sound.length; at += FRAME) {
      this.packets.push(this.encoder.encode(toPcm16(sound.subarray(at, at + FRAME))));
      this.encoded += FRAME;
      const isEnd = isLast && at + 2 * FRAME > sound.length;
      if (this.packets.length === PACKETS_PER_PAGE && !isEnd) pages.push(this.flush(this.encoded, false));
    }
    this.rest = sound.slice(at);
    if (isLast) {
      pages.push(this.flush(this.received + PRE_SKIP, true));
      this.encoder.drop();
    } else if (this.packets.length > 0) pages.push(this.flush(this.encoded, false));
    return Buffer.concat(pages);
  }

  /** Silence up to the end of a frame that has the last sample in it. */
  private missingSamples(added: number): number {
    const end = this.encoded + this.rest.length + added + PRE_SKIP;
    return Math.ceil(end / FRAME) * FRAME - (end - PRE_SKIP);
  }

  private flush(position: number, isLast: boolean): Buffer {
    return this.ogg.page(this.packets.splice(0), position, isLast);
  }
}

async function openEncoder(bitrateKbps: number) {
  const { Encoder } = await import('@evan/opus/wasm/index.js');
  const encoder = new Encoder({ channels: 1, sample_rate: SAMPLE_RATE, application: 'audio' });
  encoder.ctl(SET_BITRATE, bitrateKbps * 1_000);
  return encoder;
}

function head(): Buffer {
  const bytes = Buffer.alloc(19);
  bytes.write('OpusHead', 0, 'latin1');
  bytes[8] = 1;
  bytes[9] = 1;
  bytes.writeUInt16LE(PRE_SKIP, 10);
  bytes.writeUInt32LE(SAMPLE_RATE, 12);
  return bytes;
}

/** The packet of comments (RFC 7845, 5.2). @param comments such as `NAME=value` */
export function opusTags(comments: string[] = []): Buffer {
  const texts = ['Greenroom', ...comments].map((text) => Buffer.from(text));
  const [vendor, ...rest] = texts.map((bytes) => Buffer.concat([uint32(bytes.length), bytes]));
  return Buffer.concat([Buffer.from('OpusTags'), vendor!, uint32(rest.length), ...rest]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function join(...parts: Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function toPcm16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) =>
    Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))),
  );
}
