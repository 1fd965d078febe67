import {
  Container,
  describeForeign,
  nameOf,
  rawFormatOf,
  sniffContainer,
  sniffMagic,
  type OwnContainer,
  type PacketContainer,
} from './container';
import { foreignAudioOf, openForeign, type ForeignStream } from './foreign-audio';
import { openPackets } from './packet-containers';
import { recordingIn } from './recording-extent';
import { bytesPerSample, decodePcm } from './decode-pcm';
import { SampleCounter, SampleSink, tooLong, type ChannelBalance, type Sink } from './sample-sink';
import { decodeStream } from './stream-decoders';
import { readStreamHeader } from './stream-header';
import { UndecodableAudioError } from './undecodable-audio.error';
import { NEARLY_ALL, readWavHeader, type WavHeader } from './wav-header';

export interface DecodedAudio {
  container: Container | 'raw';
  /** `pcm_s16le`, `opus`, `aac`. */
  codec: string;
  sampleRate: number;
  /** As stored; `samples` is mono. */
  channels: number;
  bitrateKbps: number;
  samples: Float32Array;
  /** Null for one channel, and for silence. */
  balance: ChannelBalance | null;
  /** Seconds that the header promises and the file does not give: it was damaged or cut off. */
  lostSecs: number;
}

interface DecodeLimits {
  maxBytes: number;
  /** Decoded length at up to 48 kHz; faster rates get proportionally less, so that memory has one limit. */
  maxSecs: number;
}

export const DEFAULT_LIMITS: DecodeLimits = { maxBytes: 100_000_000, maxSecs: 600 };

interface Shape {
  container: DecodedAudio['container'];
  codec: DecodedAudio['codec'];
  sampleRate: number;
  channels: number;
  /** Samples per channel that are to be expected, or 0. */
  expected: number;
  /** Samples per channel that the header promises where it is to be believed, or 0. */
  promised: number;
  /** Samples per channel that are known to be missing at the end. */
  missing: number;
}

/** A recording whose header has been read. */
interface Source extends Shape {
  decode: (sink: Sink) => void | Promise<void>;
}

/** What a recording turned out to be. */
export interface InspectedAudio {
  container: Container;
  durationSecs: number;
}

/**
 * Decodes a whole recording to mono. The container is recognised by its bytes; `mediaType` only says what headerless
 * samples are. A file that was cut off gives what it has.
 *
 * @param recording its bytes, or the stream of what another process decodes
 * @param room for the samples of a short recording, which are then a part of it
 * @throws UndecodableAudioError when nothing can be decoded, or a limit is passed (checked before memory is taken)
 */
export async function decodeAudio(
  recording: Uint8Array | ForeignStream,
  limits: DecodeLimits = DEFAULT_LIMITS,
  mediaType = '',
  room?: Float32Array,
): Promise<DecodedAudio> {
  const source = await openSource(recording, limits, mediaType);
  const { container, codec, sampleRate, channels } = source;
  const sink = new SampleSink(sampleRate, mostSamples(source, limits), source.expected, room);
  await source.decode(sink);
  const samples = sink.finish();
  requireSound(source, samples.length);
  const lostSecs = lostSamples(source, samples.length) / sampleRate;
  const bitrateKbps = Math.round((sizeOf(recording) * 8 * sampleRate) / samples.length / 1000);
  return { container, codec, sampleRate, channels, bitrateKbps, samples, balance: sink.balance, lostSecs };
}

/**
 * Reads the header of a recording, without decoding anything: a first look at what was sent.
 *
 * @param hasFfmpeg whether what Greenroom does not decode is accepted
 * @returns the length is null where only `inspectAudio` knows; a WAV file shows everything
 * @throws UndecodableAudioError when `inspectAudio` would, as far as the header says
 */
export function inspectHeader(
  bytes: Uint8Array,
  limits: DecodeLimits = DEFAULT_LIMITS,
  hasFfmpeg = false,
): { container: Container; durationSecs: number | null } {
  requireSize(bytes.length, limits);
  const foreign = hasFfmpeg ? foreignAudioOf(bytes) : null;
  if (foreign) return { container: foreign.container, durationSecs: null };
  const found = sniffContainer(bytes);
  if (isPacketContainer(found)) return { container: found, durationSecs: null };
  // Of the others a thread finds the end.
  const source = readSource(found === 'wav' ? recordingIn(bytes, found) : bytes, found);
  requireAccepted(source);
  const { container, codec, sampleRate, expected } = source;
  const most = mostSamples(source, limits);
  if (expected > most && !isPosition(codec)) throw tooLong(sampleRate, most);
  if (container !== 'wav') return { container: container as Container, durationSecs: null };
  requireSound(source, Math.floor(expected));
  requireComplete(source, expected);
  return { container, durationSecs: Math.floor(expected) / sampleRate };
}

/**
 * Decodes a whole recording and keeps nothing of it: however much it unpacks to, it takes no memory. Stricter than
 * `decodeAudio`: a file that has less sound than its header promises was cut off on its way, and a WAV file that has
 * more is damaged too.
 *
 * @param isStopped whether the result is not needed any more; called for each piece that is decoded
 * @throws UndecodableAudioError when it has no sound, is cut off or damaged, passes a limit, or is stopped
 */
export async function inspectAudio(
  recording: Uint8Array | ForeignStream,
  limits: DecodeLimits = DEFAULT_LIMITS,
  isStopped = () => false,
): Promise<InspectedAudio> {
  const source = await openSource(recording, limits);
  const counter = new SampleCounter(source.sampleRate, mostSamples(source, limits), isStopped);
  await source.decode(counter);
  requireSound(source, counter.length);
  requireComplete(source, counter.length);
  return {
    container: source.container as Container,
    durationSecs: counter.length / source.sampleRate,
  };
}

async function openSource(
  recording: Uint8Array | ForeignStream,
  limits: DecodeLimits,
  mediaType = '',
): Promise<Source> {
  requireSize(sizeOf(recording), limits);
  const source =
    recording instanceof Uint8Array ? await openBytes(recording, mediaType) : await openForeign(recording);
  requireAccepted(source);
  return source;
}

async function openBytes(bytes: Uint8Array, mediaType: string): Promise<Source> {
  const raw = rawFormatOf(mediaType);
  if (raw && !sniffMagic(bytes))
    return samplesSource('raw', { ...raw, channels: 1, data: bytes, claimedBytes: 0 });
  const container = sniffContainer(bytes);
  const recording = container ? recordingIn(bytes, container) : bytes;
  if (isPacketContainer(container)) return { container, ...(await openPackets(recording, container)) };
  return readSource(recording, container);
}

function sizeOf(recording: Uint8Array | ForeignStream): number {
  return recording instanceof Uint8Array ? recording.length : recording.sizeBytes;
}

function requireSize(sizeBytes: number, { maxBytes }: DecodeLimits): void {
  if (sizeBytes > maxBytes)
    throw new UndecodableAudioError(`${sizeBytes} bytes, more than the ${maxBytes} accepted`);
}

function isPacketContainer(container: OwnContainer | null): container is PacketContainer {
  return container === 'webm' || container === 'mp4';
}

function readSource(bytes: Uint8Array, container: Exclude<OwnContainer, PacketContainer> | null): Source {
  if (!container) throw new UndecodableAudioError(describeForeign(bytes));
  if (container === 'wav') return samplesSource('wav', readWavHeader(bytes));
  const header = readStreamHeader(bytes, container);
  return { container, ...header, decode: (sink) => decodeStream(bytes, container, header, sink) };
}

function samplesSource(
  container: 'wav' | 'raw',
  { codec, sampleRate, channels, data, claimedBytes }: WavHeader,
): Source {
  const blockBytes = channels * bytesPerSample(codec);
  return {
    container,
    codec,
    sampleRate,
    channels,
    expected: data.length / blockBytes,
    promised: claimedBytes / blockBytes,
    missing: 0,
    decode: (sink) => decodePcm(data, codec, channels, sink),
  };
}

function requireAccepted({ container, sampleRate, channels }: Shape): void {
  if (channels < 1 || channels > 2)
    throw new UndecodableAudioError(`${nameOf(container)} with ${channels} channels`);
  if (!(sampleRate >= 4000 && sampleRate <= 192_000)) {
    throw new UndecodableAudioError(`${nameOf(container)} with a sample rate of ${sampleRate} Hz`);
  }
}

function requireSound({ container }: Shape, length: number): void {
  if (length === 0) throw new UndecodableAudioError(`${nameOf(container)} without any sound in it`);
}

/** What the header promises and the file does not give, or what was cut off at its end. */
function lostSamples({ promised, missing }: Shape, length: number): number {
  return Math.max(missing, length >= promised * NEARLY_ALL ? 0 : promised - length);
}

function requireComplete(shape: Shape, length: number): void {
  const { container, sampleRate, promised } = shape;
  const lost = lostSamples(shape, length);
  const [found, whole, claimed] = [length, length + lost, promised].map((samples) =>
    (samples / sampleRate).toFixed(1),
  );
  if (length < (length + lost) * NEARLY_ALL)
    throw new UndecodableAudioError(
      promised > length
        ? `${nameOf(container)} that ends after ${found} of the ${claimed} seconds that its header promises`
        : `${nameOf(container)} that ends after ${found} of at least ${whole} seconds`,
    );
  if (container === 'wav' && promised > 0 && promised < length * NEARLY_ALL)
    throw new UndecodableAudioError(
      `a WAV file that holds ${found} seconds of sound where its header claims ${claimed}`,
    );
}

/** Whether `expected` is a position in the stream and no length: one that was cut out of a live stream begins late. */
function isPosition(codec: Shape['codec']): boolean {
  return codec === 'vorbis' || codec === 'opus';
}

function mostSamples({ sampleRate }: Shape, { maxSecs }: DecodeLimits): number {
  return maxSecs * Math.min(sampleRate, 48_000);
}
