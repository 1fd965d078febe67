import { decodePcm16 } from '../codecs/decode-pcm';
import { openStream, type AudioStream } from '../codecs/audio-stream';
import type { OutputFormat } from '../codecs/output-format';
import { move } from 'piscina';

/** One part of a stream; a stream begins with its first part. */
export interface EncodeTask {
  stream: string;
  format: OutputFormat;
  /** Signed 16-bit little-endian at the rate of the format. */
  pcm: Uint8Array;
  isFirst: boolean;
  isLast: boolean;
}

/** A stream that ends before its last part. */
export interface EndTask {
  stream: string;
}

const streams = new Map<string, AudioStream>();

/** Worker thread entry: encodes a part of a stream, after those before it. */
export default async function encode(task: EncodeTask | EndTask): Promise<ReturnType<typeof move> | void> {
  if (!('pcm' in task)) return void streams.delete(task.stream);
  const { stream: id, format, pcm, isFirst, isLast } = task;
  const stream = isFirst ? await openStream(format) : streams.get(id);
  if (!stream) throw new Error('the encoder of this stream was lost');
  if (isLast) streams.delete(id);
  else streams.set(id, stream);
  const bytes = new Uint8Array(stream.encode(decodePcm16(pcm), isLast));
  return move(bytes);
}
