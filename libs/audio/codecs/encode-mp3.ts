import { loadInThread } from '@app/domain/common/load-in-thread';
import { readFileSync } from 'node:fs';
import type { createMp3Encoder } from 'wasm-media-encoders';
import { scale } from './pcm';
import { MpegFrame, mpegFrames, readMpegFrame } from './mpeg-frame';

type EncoderSettings = Parameters<Awaited<ReturnType<typeof createMp3Encoder>>['configure']>[0];

/** LAME starts 576 samples late and says so in its tag; a decoder adds its own 529 and trims both. */
const ENCODER_DELAY = 576;
/** LAME turns everything down by 5 % to spare decoders that clip; the requested loudness is kept instead. */
const LAME_GAIN = 0.95;
const CHUNK = 65536;
const TAG_BYTES = 156;

/** Compiled once for each thread: the library's own shorthand compiles it for every encoder. */
let program: WebAssembly.Module | null = null;

/**
 * Constant-bitrate mono MP3 (LAME). The stream begins with an Info frame that carries the encoder delay and padding,
 * so players that read it (all browsers, ffmpeg, mpg123) play exactly the samples that went in.
 */
export async function encodeMp3(
  samples: Float32Array,
  sampleRate: number,
  bitrateKbps: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = await loadInThread(openEncoder);
  const rate = sampleRate as NonNullable<EncoderSettings['outputSampleRate']>;
  const bitrate = bitrateKbps as NonNullable<EncoderSettings['bitrate']>;
  encoder.configure({ channels: 1, sampleRate: rate, outputSampleRate: rate, bitrate });
  const parts: Uint8Array[] = [];
  const louder = scale(samples, 1 / LAME_GAIN);
  for (let at = 0; at < louder.length; at += CHUNK) {
    parts.push(encoder.encode([louder.subarray(at, at + CHUNK)]).slice());
  }
  parts.push(encoder.finalize().slice());
  const stream = Buffer.concat(parts);
  return new Uint8Array(Buffer.concat([infoFrame(stream, samples.length), stream]));
}

async function openEncoder() {
  // Imported here, not above, for the reason given in stream-decoders.ts.
  const { createEncoder } = await import('wasm-media-encoders');
  return createEncoder('audio/mpeg', (program ??= compileEncoder()));
}

function compileEncoder(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(require.resolve('wasm-media-encoders/wasm/mp3')));
}

/** The silent first frame with the "Info" and "LAME" fields (layout: the LAME project's MP3 Info Tag, revision 1). */
function infoFrame(stream: Buffer, sampleCount: number): Buffer {
  const frames = [...mpegFrames(stream, 0)];
  const first = frames[0];
  if (!first) return Buffer.alloc(0);
  const frame = roomyFrame(stream, first);
  const tag = frame.subarray(4 + (first.lowRate ? 9 : 17));
  const padding = Math.max(0, frames.length * first.samples - ENCODER_DELAY - sampleCount);
  tag.write('Info', 0, 'latin1');
  tag.writeUInt32BE(0b1111, 4);
  tag.writeUInt32BE(frames.length, 8);
  tag.writeUInt32BE(stream.length + frame.length, 12);
  for (let percent = 0; percent < 100; percent++) tag[16 + percent] = Math.floor((percent * 256) / 100);
  tag.write('LAME3.100', 120, 'latin1');
  tag[129] = 0x01;
  tag[140] = first.bitrateKbps;
  tag.writeUIntBE((ENCODER_DELAY << 12) | Math.min(padding, 0xfff), 141, 3);
  return frame;
}

/** An empty frame of the stream's kind at the lowest bitrate whose frame holds the tag. */
function roomyFrame(stream: Buffer, like: MpegFrame): Buffer {
  const header = Buffer.from(stream.subarray(0, 4));
  // No CRC, no padding byte.
  header[1] = header[1]! | 0x01;
  for (let index = 1; index < 15; index++) {
    header[2] = (index << 4) | (header[2]! & 0x0c);
    const frame = readMpegFrame(header, 0);
    if (frame && frame.bytes >= TAG_BYTES + (like.lowRate ? 13 : 21)) {
      return Buffer.concat([header, Buffer.alloc(frame.bytes - 4)]);
    }
  }
  return Buffer.alloc(0);
}
