import { alawToLinear, mulawToLinear } from './g711';
import type { Sink } from './sample-sink';

export type PcmCodec =
  | 'pcm_u8'
  | 'pcm_s16le'
  | 'pcm_s16be'
  | 'pcm_s24le'
  | 'pcm_s32le'
  | 'pcm_f32le'
  | 'pcm_f64le'
  | 'pcm_mulaw'
  | 'pcm_alaw';

type Reader = (view: DataView, at: number) => number;

const READERS: Record<PcmCodec, { bytes: number; read: Reader }> = {
  pcm_u8: { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) / 128 },
  pcm_s16le: { bytes: 2, read: (view, at) => view.getInt16(at, true) / 32768 },
  pcm_s16be: { bytes: 2, read: (view, at) => view.getInt16(at, false) / 32768 },
  pcm_s24le: {
    bytes: 3,
    read: (view, at) => (view.getInt8(at + 2) * 65536 + view.getUint16(at, true)) / 8388608,
  },
  pcm_s32le: { bytes: 4, read: (view, at) => view.getInt32(at, true) / 2147483648 },
  pcm_f32le: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  pcm_f64le: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  pcm_mulaw: { bytes: 1, read: (view, at) => mulawToLinear(view.getUint8(at)) },
  pcm_alaw: { bytes: 1, read: (view, at) => alawToLinear(view.getUint8(at)) },
};

const BLOCK_FRAMES = 16384;

/** Bytes of one sample of one channel. */
export function bytesPerSample(codec: PcmCodec): number {
  return READERS[codec].bytes;
}

/** Unpacks interleaved samples into the sink; a last, incomplete frame is dropped. */
export function decodePcm(bytes: Uint8Array, codec: PcmCodec, channels: number, sink: Sink): void {
  const { bytes: width, read } = READERS[codec];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames = Math.floor(bytes.byteLength / (width * channels));
  const block = Array.from({ length: channels }, () => new Float32Array(Math.min(frames, BLOCK_FRAMES)));
  for (let start = 0; start < frames; start += BLOCK_FRAMES) {
    const count = Math.min(BLOCK_FRAMES, frames - start);
    block.forEach((samples, channel) => {
      let at = (start * channels + channel) * width;
      for (let n = 0; n < count; n++, at += width * channels) samples[n] = read(view, at);
    });
    sink.add(block.map((samples) => samples.subarray(0, count)));
  }
}

/** Signed 16-bit little-endian samples of one channel. */
export function decodePcm16(bytes: Uint8Array): Float32Array {
  const { read } = READERS.pcm_s16le;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float32Array.from({ length: bytes.byteLength >> 1 }, (_, n) => read(view, 2 * n));
}
