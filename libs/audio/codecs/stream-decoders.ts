import { loadInThread } from '@app/domain/common/load-in-thread';
import { nameOf, type OwnContainer, type PacketContainer } from './container';
import { FlacFrames } from './flac-frames';
import { unreadFrom } from './recording-extent';
import type { Sink } from './sample-sink';
import { UndecodableAudioError } from './undecodable-audio.error';

export type StreamContainer = Exclude<OwnContainer, 'wav' | PacketContainer>;

/** What a recording says of itself. */
interface Stream {
  /** The part of its bytes that holds the frames or pages. */
  body: Uint8Array;
  sampleRate: number;
  /** How many of the decoder's channels are real: a mono MP3 comes out of mpg123 as two equal channels. */
  channels: number;
  promised: number;
  longestFrame?: number;
}

/** What the four WebAssembly decoders have in common. */
interface StreamDecoder {
  ready: Promise<void>;
  /** Where the first bytes are that it left out, once that is known. Of the others `recordingIn` knows it before. */
  readonly gap?: number | null;
  decode(bytes: Uint8Array): Decoded | Promise<Decoded>;
  flush?(): Promise<Decoded>;
  free(): void;
}

interface Decoded {
  channelData: Float32Array[];
  samplesDecoded: number;
  sampleRate: number;
}

/**
 * Bytes passed at a time. The lossless and Ogg formats can pack seconds of silence in a few bytes, so they get little at a
 * time and the sink can stop them; an MP3 frame has a least size.
 *
 * The decoders are ES modules and are imported, never required: Node 20 aborts the whole process when a thread is ended
 * while it requires one.
 */
const DECODERS: Record<
  StreamContainer,
  { chunkBytes: number; open: (header: Stream) => Promise<StreamDecoder> }
> = {
  mp3: { chunkBytes: 65536, open: async () => new (await import('mpg123-decoder')).MPEGDecoder() },
  flac: {
    chunkBytes: 512,
    open: ({ body, promised, longestFrame = Infinity }) => FlacFrames.open(body, promised, longestFrame),
  },
  'ogg-flac': {
    chunkBytes: 4096,
    open: async () => new (await import('@wasm-audio-decoders/flac')).FLACDecoder(),
  },
  'ogg-vorbis': {
    chunkBytes: 4096,
    open: async () => new (await import('@wasm-audio-decoders/ogg-vorbis')).OggVorbisDecoder(),
  },
  'ogg-opus': { chunkBytes: 4096, open: async () => new (await import('ogg-opus-decoder')).OggOpusDecoder() },
};

/**
 * Decodes a compressed stream into the sink, piece by piece.
 *
 * @param bytes of a recording
 * @throws UndecodableAudioError when the decoder fails or leaves something out, the kind of sound changes on the way, or the
 *   sink is full
 */
export async function decodeStream(
  bytes: Uint8Array,
  container: StreamContainer,
  stream: Stream,
  sink: Sink,
): Promise<void> {
  const { body, sampleRate, channels } = stream;
  const { chunkBytes, open } = DECODERS[container];
  const decoder = await loadInThread(() => open(stream));
  const take = ({ channelData, samplesDecoded, sampleRate: decodedRate }: Decoded): void => {
    if (samplesDecoded === 0) return;
    if (decodedRate !== sampleRate)
      throw new UndecodableAudioError(`${nameOf(container)} that changes its rate`);
    if (channelData.length !== channels && container !== 'mp3')
      throw new UndecodableAudioError(`${nameOf(container)} that changes its channels`);
    sink.add(channelData.slice(0, channels));
  };
  const requireRead = () => {
    if (typeof decoder.gap === 'number')
      throw unreadFrom(bytes, body.byteOffset - bytes.byteOffset + decoder.gap, container);
  };
  try {
    await decoder.ready;
    for (let at = 0; at < body.length; at += chunkBytes) {
      take(await decoder.decode(body.subarray(at, at + chunkBytes)));
      requireRead();
      sink.check?.();
    }
    if (decoder.flush) take(await decoder.flush());
    requireRead();
  } catch (error) {
    if (error instanceof UndecodableAudioError) throw error;
    throw new UndecodableAudioError(`${nameOf(container)} that is damaged`, { cause: error });
  } finally {
    release(decoder);
  }
}

function release(decoder: StreamDecoder): void {
  try {
    decoder.free();
  } catch {
    // A decoder that failed half-way may fail to free itself; its memory goes with the instance.
  }
}
