import { Mp3Stream } from './mp3-stream';
import { OpusStream } from './opus-stream';
import { codecOf, type OutputFormat } from './output-format';

/** An encoder of sound that comes in parts. */
export interface AudioStream {
  /** What is complete with this part; after the last one, everything. */
  encode(samples: Float32Array, isLast: boolean): Uint8Array;
}

/** Whether parts of a format cannot be encoded one by one and joined. */
export function hasState(format: OutputFormat): boolean {
  return ['mp3', 'opus'].includes(codecOf(format).codec);
}

/** @param format one that `hasState` */
export async function openStream(format: OutputFormat): Promise<AudioStream> {
  const { codec, sampleRate, bitrateKbps } = codecOf(format);
  if (codec === 'opus') return OpusStream.open(bitrateKbps);
  return Mp3Stream.open(sampleRate, bitrateKbps);
}
