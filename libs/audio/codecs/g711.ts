/**
 * ITU-T G.711 companding, the 8-bit telephone codecs. Linear samples are -1..1; codes are one byte a sample.
 * Both laws are piecewise-linear logarithms: sign, 3-bit segment, 4-bit step.
 */
const MULAW_BIAS = 33;
const MULAW_CLIP = 8158;
const ALAW_TOGGLE = 0x55;

const MULAW_TABLE = Float32Array.from({ length: 256 }, (_, code) => expandMulaw(code));
const ALAW_TABLE = Float32Array.from({ length: 256 }, (_, code) => expandAlaw(code));

/** Linear samples to mu-law bytes. */
export function encodeMulaw(samples: Float32Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(samples, compressMulaw);
}

/** Linear samples to A-law bytes. */
export function encodeAlaw(samples: Float32Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(samples, compressAlaw);
}

/** The linear value of one mu-law byte. */
export function mulawToLinear(code: number): number {
  return MULAW_TABLE[code]!;
}

/** The linear value of one A-law byte. */
export function alawToLinear(code: number): number {
  return ALAW_TABLE[code]!;
}

function compressMulaw(sample: number): number {
  const magnitude = Math.min(MULAW_CLIP, Math.round(Math.abs(sample) * 8192)) + MULAW_BIAS;
  const segment = 26 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 1)) & 0x0f;
  const sign = sample < 0 ? 0x80 : 0;
  return ~(sign | (segment << 4) | step) & 0xff;
}

function expandMulaw(code: number): number {
  const plain = ~code & 0xff;
  const segment = (plain >> 4) & 0x07;
  const magnitude = (((plain & 0x0f) * 2 + MULAW_BIAS) << segment) - MULAW_BIAS;
  return (plain & 0x80 ? -magnitude : magnitude) / 8192;
}

function compressAlaw(sample: number): number {
  const magnitude = Math.min(4095, Math.floor(Math.abs(sample) * 4096));
  const segment = magnitude < 64 ? 0 : 27 - Math.clz32(magnitude);
  const step = (magnitude >> Math.max(1, segment)) & 0x0f;
  const code = magnitude < 64 ? magnitude >> 1 : (segment << 4) | step;
  return (code | (sample < 0 ? 0 : 0x80)) ^ ALAW_TOGGLE;
}

function expandAlaw(code: number): number {
  const plain = code ^ ALAW_TOGGLE;
  const segment = (plain >> 4) & 0x07;
  const step = (plain & 0x0f) * 2 + 1;
  const magnitude = segment === 0 ? step : (step + 32) << (segment - 1);
  return (plain & 0x80 ? magnitude : -magnitude) / 4096;
}
