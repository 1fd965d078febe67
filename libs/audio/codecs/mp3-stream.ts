import { loadInThread } from '@app/domain/common/load-in-thread';
import { readFileSync } from 'node:fs';
import type { createMp3Encoder } from 'wasm-media-encoders';
import { readMpegFrame } from './mpeg-frame';
import { scale } from './pcm';

type EncoderSettings = Parameters<Awaited<ReturnType<typeof createMp3Encoder>>['configure']>[0];
type Encoder = Awaited<ReturnType<typeof openEncoder>>;

/** LAME turns everything down by 5 % to spare decoders that clip; the requested loudness is preserved instead. */
const LAME_GAIN = 0.95;
const CHUNK = 65536;
/** LAME starts 576 samples late, and a decoder adds its own 529. */
const CODEC_DELAY = 1_105;
/** -40 dBFS: what is softer at the beginning of speech is not missed. */
const QUIET = 0.01;

/** Compiled once for each thread: the library's own shorthand compiles it for every encoder. */
let program: WebAssembly.Module | null = null;

/** A LAME encoder for mono sound at a constant bitrate. */
export async function openLame(sampleRate: number, bitrateKbps: number): Promise<Lame> {
  const encoder = await loadInThread(openEncoder);
  const rate = sampleRate as NonNullable<EncoderSettings['outputSampleRate']>;
  const bitrate = bitrateKbps as NonNullable<EncoderSettings['bitrate']>;
  encoder.configure({ channels: 1, sampleRate: rate, outputSampleRate: rate, bitrate });
  return new Lame(encoder);
}

export class Lame {
  constructor(private readonly encoder: Encoder) {}

  /** The frames that are complete with these samples. */
  encode(samples: Float32Array): Buffer {
    const parts: Uint8Array[] = [];
    const louder = scale(samples, 1 / LAME_GAIN);
    for (let at = 0; at < louder.length; at += CHUNK)
      parts.push(this.encoder.encode([louder.subarray(at, at + CHUNK)]).slice());
    return Buffer.concat(parts);
  }

  finish(): Buffer {
    return Buffer.from(this.encoder.finalize().slice());
  }
}

async function openEncoder() {
  // Imported here, not above, for the reason in stream-decoders.ts.
  const { createEncoder } = await import('wasm-media-encoders');
  return createEncoder('audio/mpeg', (program ??= compileEncoder()));
}

function compileEncoder(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(require.resolve('wasm-media-encoders/wasm/mp3')));
}

/**
 * MP3 of sound that comes in parts, as one stream: nothing is added where they join. It has no Info frame, which would have to
 * give the length of the whole; instead, the silence that speech begins with is shortened by what encoder and decoder add,
 * and what they would add at the end is left out. Decoded, it is as long as the sound that went in, to a frame.
 */
export class Mp3Stream {
  /** Samples of what is decoded from everything. */
  private expected = 0;
  private sent = 0;

  private constructor(private readonly lame: Lame) {}

  static async open(sampleRate: number, bitrateKbps: number): Promise<Mp3Stream> {
    return new Mp3Stream(await openLame(sampleRate, bitrateKbps));
  }

  /** The frames that are complete with this part; after the last one, all of them. */
  encode(samples: Float32Array, isLast: boolean): Buffer {
    const heard = this.expected === 0 ? withoutDelay(samples) : samples;
    this.expected += this.expected === 0 ? CODEC_DELAY + heard.length : heard.length;
    const frames = this.lame.encode(heard);
    return isLast
      ? this.countFrames(Buffer.concat([frames, this.lame.finish()]), true)
      : this.countFrames(frames);
  }

  private countFrames(mp3: Buffer, isLast = false): Buffer {
    let at = 0;
    for (let frame = readMpegFrame(mp3, at); frame; frame = readMpegFrame(mp3, at)) {
      if (isLast && this.sent >= Math.ceil(this.expected / frame.samples)) return mp3.subarray(0, at);
      at += frame.bytes;
      this.sent += 1;
    }
    return mp3;
  }
}

function withoutDelay(samples: Float32Array): Float32Array {
  const loud = samples.subarray(0, CODEC_DELAY).findIndex((sample) => Math.abs(sample) > QUIET);
  return samples.subarray(loud < 0 ? Math.min(CODEC_DELAY, samples.length) : loud);
}
