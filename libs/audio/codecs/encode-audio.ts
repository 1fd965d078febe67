import { encodeMp3 } from './encode-mp3';
import { encodeAlaw, encodeMulaw } from './g711';
import { codecOf, OutputFormat, type FormatParts } from './output-format';
import { durationSecs, Pcm } from './pcm';
import { OpusStream } from './opus-stream';
import { asWav } from './wav-file';
import { resample } from '../signal/resample';

export interface EncodedAudio {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
  /** Length of the sound that went in, in seconds. */
  durationSecs: number;
}

const MEDIA_TYPES: Record<string, string> = {
  mp3: 'audio/mpeg',
  ulaw: 'audio/basic',
  alaw: 'audio/x-alaw-basic',
  wav: 'audio/wav',
  opus: 'audio/ogg',
};

/**
 * Encodes mono sound in one of the wire contract's output formats, resampling to the format's rate.
 *
 * Media types: MP3 `audio/mpeg` (RFC 3003); mu-law `audio/basic` (RFC 2046: 8 kHz mono mu-law); A-law
 * `audio/x-alaw-basic` (no registered name exists outside RTP); PCM is signed 16-bit little-endian,
 * `audio/pcm;rate=...`, because the registered `audio/L16` (RFC 2586) means big-endian; Opus is in Ogg, `audio/ogg`
 * (RFC 7845).
 */
export async function encodeAudio(pcm: Pcm, format: OutputFormat): Promise<EncodedAudio> {
  const parts = codecOf(format);
  const samples = resample(pcm.samples, pcm.sampleRate, parts.sampleRate);
  const bytes = await encodeSamples(samples, parts);
  return { bytes, mediaType: mediaTypeOf(format), durationSecs: durationSecs(pcm) };
}

/** The media type of what `encodeAudio` makes in a format. */
export function mediaTypeOf(format: OutputFormat): string {
  const { codec, sampleRate } = codecOf(format);
  return MEDIA_TYPES[codec] ?? `audio/pcm;rate=${sampleRate}`;
}

async function encodeSamples(
  samples: Float32Array,
  { codec, sampleRate, bitrateKbps }: FormatParts,
): Promise<Uint8Array<ArrayBuffer>> {
  switch (codec) {
    case 'mp3':
      return encodeMp3(samples, sampleRate, bitrateKbps);
    case 'ulaw':
      return encodeMulaw(samples);
    case 'alaw':
      return encodeAlaw(samples);
    case 'opus':
      return new Uint8Array((await OpusStream.open(bitrateKbps)).encode(samples, true));
    case 'wav':
      return new Uint8Array(Buffer.concat(asWav([encodePcm16(samples)], sampleRate)));
    default:
      return encodePcm16(samples);
  }
}

/** Signed 16-bit little-endian; overshoot is clipped. */
function encodePcm16(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, at) => {
    view.setInt16(at * 2, Math.max(-32768, Math.min(32767, Math.round(sample * 32767))), true);
  });
  return new Uint8Array(view.buffer);
}
