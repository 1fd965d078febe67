import { openLame } from './mp3-stream';
import { MpegFrame, mpegFrames, readMpegFrame } from './mpeg-frame';

/** LAME starts 576 samples late and says so in its tag; a decoder adds its own 529 and trims both. */
const ENCODER_DELAY = 576;
const TAG_BYTES = 156;

/**
 * Constant-bitrate mono MP3 (LAME). The stream begins with an Info frame that carries the encoder delay and padding,
 * so players that read it (all browsers, ffmpeg, mpg123) play exactly the samples that went in.
 */
export async function encodeMp3(
  samples: Float32Array,
  sampleRate: number,
  bitrateKbps: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const lame = await openLame(sampleRate, bitrateKbps);
  const stream = Buffer.concat([lame.encode(samples), lame.finish()]);
  return new Uint8Array(Buffer.concat([infoFrame(stream, samples.length), stream]));
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
