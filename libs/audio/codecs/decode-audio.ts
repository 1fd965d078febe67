import { Container, describeForeign, rawFormatOf, sniffContainer, sniffMagic } from './container';
import { bytesPerSample, decodePcm, PcmCodec } from './decode-pcm';
import { SampleSink } from './sample-sink';
import { CompressedCodec, decodeStream } from './stream-decoders';
import { readStreamHeader } from './stream-header';
import { UndecodableAudioError } from './undecodable-audio.error';
import { readWavHeader } from './wav-header';

export interface DecodedAudio {
  container: Container | 'raw';
  codec: PcmCodec | CompressedCodec;
  sampleRate: number;
  /** As stored; `samples` is mono. */
  channels: number;
  bitrateKbps: number;
  samples: Float32Array;
}

interface DecodeLimits {
  maxBytes: number;
  /** Decoded length at up to 48 kHz; faster rates get proportionally less, so that memory has one limit. */
  maxSecs: number;
}

export const DEFAULT_LIMITS: DecodeLimits = { maxBytes: 100_000_000, maxSecs: 600 };

interface Shape {
  container: DecodedAudio['container'];
  sampleRate: number;
  channels: number;
  /** Samples per channel that the header promises, or 0. */
  expected: number;
}

/**
 * Decodes a whole recording to mono. The container is recognised by its bytes; `mediaType` only says what headerless
 * samples are. Damaged streams give what can be decoded.
 *
 * @throws UndecodableAudioError when nothing can be decoded, or a limit is passed (checked before memory is taken)
 */
export async function decodeAudio(
  bytes: Uint8Array,
  limits: DecodeLimits = DEFAULT_LIMITS,
  mediaType = '',
): Promise<DecodedAudio> {
  if (bytes.length > limits.maxBytes) {
    throw new UndecodableAudioError(`${bytes.length} bytes, more than the ${limits.maxBytes} accepted`);
  }
  const raw = rawFormatOf(mediaType);
  if (raw && !sniffMagic(bytes)) return decodeSamples(bytes, bytes, { ...raw, channels: 1 }, 'raw', limits);
  const container = sniffContainer(bytes);
  if (!container) throw new UndecodableAudioError(describeForeign(bytes));
  if (container !== 'wav') return decodeCompressed(bytes, container, limits);
  const header = readWavHeader(bytes);
  return decodeSamples(bytes, header.data, header, 'wav', limits);
}

function decodeSamples(
  bytes: Uint8Array,
  data: Uint8Array,
  { codec, sampleRate, channels }: { codec: PcmCodec; sampleRate: number; channels: number },
  container: 'wav' | 'raw',
  limits: DecodeLimits,
): DecodedAudio {
  const expected = data.length / (channels * bytesPerSample(codec));
  const shape = { container, sampleRate, channels, expected };
  const sink = openSink(shape, limits);
  decodePcm(data, codec, channels, sink);
  return describe(bytes, shape, codec, sink);
}

async function decodeCompressed(
  bytes: Uint8Array,
  container: Exclude<Container, 'wav'>,
  limits: DecodeLimits,
): Promise<DecodedAudio> {
  const header = readStreamHeader(bytes, container);
  const shape = { container, ...header };
  const sink = openSink(shape, limits);
  await decodeStream(header.body, header.codec, header, sink);
  return describe(bytes, shape, header.codec, sink);
}

function openSink({ container, sampleRate, channels, expected }: Shape, limits: DecodeLimits): SampleSink {
  if (channels < 1 || channels > 2)
    throw new UndecodableAudioError(`a ${channels}-channel ${container} file`);
  if (!(sampleRate >= 4000 && sampleRate <= 192_000)) {
    throw new UndecodableAudioError(`a ${container} file with a sample rate of ${sampleRate} Hz`);
  }
  return new SampleSink(sampleRate, limits.maxSecs * Math.min(sampleRate, 48_000), expected);
}

function describe(
  bytes: Uint8Array,
  { container, sampleRate, channels }: Shape,
  codec: DecodedAudio['codec'],
  sink: SampleSink,
): DecodedAudio {
  const samples = sink.finish();
  if (samples.length === 0) throw new UndecodableAudioError(`a ${container} file without any sound in it`);
  const bitrateKbps = Math.round((bytes.length * 8 * sampleRate) / samples.length / 1000);
  return { container, codec, sampleRate, channels, bitrateKbps, samples };
}
