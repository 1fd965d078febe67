import { loadInThread } from '@app/domain/common/load-in-thread';
import type { Sink } from './sample-sink';
import { UndecodableAudioError } from './undecodable-audio.error';

export type CompressedCodec = 'mp3' | 'flac' | 'vorbis' | 'opus';

const STREAMS: Record<CompressedCodec, string> = {
  mp3: 'an MP3 stream',
  flac: 'a FLAC stream',
  vorbis: 'a Vorbis stream',
  opus: 'an Opus stream',
};

/** What the four WebAssembly decoders have in common. */
interface StreamDecoder {
  ready: Promise<void>;
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
 * A FLAC frame header and no frame. codec-parser ends a frame where the next one begins. Without a next one it looks
 * for the end of the stream, does not find it when the third-last byte is 0xFF, and loses the last frame.
 */
const NEXT_FLAC_HEADER = Uint8Array.of(0xff, 0xf8, 0x14, 0x08, 0, 0x2b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/**
 * Bytes passed at a time, and what follows the last of them. The lossless and Ogg formats can pack seconds of
 * silence in a few bytes, so they get little at a time and the sink can stop them; an MP3 frame has a least size.
 *
 * The decoders are ES modules and are imported, never required: Node 20 aborts the whole process when a thread is ended
 * while it requires one.
 */
const DECODERS: Record<
  CompressedCodec,
  { chunkBytes: number; ending?: Uint8Array; open: () => Promise<StreamDecoder> }
> = {
  mp3: { chunkBytes: 65536, open: async () => new (await import('mpg123-decoder')).MPEGDecoder() },
  flac: {
    chunkBytes: 4096,
    ending: NEXT_FLAC_HEADER,
    open: async () => new (await import('@wasm-audio-decoders/flac')).FLACDecoder(),
  },
  vorbis: {
    chunkBytes: 4096,
    open: async () => new (await import('@wasm-audio-decoders/ogg-vorbis')).OggVorbisDecoder(),
  },
  opus: { chunkBytes: 4096, open: async () => new (await import('ogg-opus-decoder')).OggOpusDecoder() },
};

/**
 * Decodes a compressed stream into the sink, piece by piece.
 *
 * @param channels how many of the decoder's channels are real: a mono MP3 comes out of mpg123 as two equal channels
 * @throws UndecodableAudioError when the decoder fails, the sample rate changes on the way, or the sink is full
 */
export async function decodeStream(
  bytes: Uint8Array,
  codec: CompressedCodec,
  { sampleRate, channels }: { sampleRate: number; channels: number },
  sink: Sink,
): Promise<void> {
  const { chunkBytes, ending, open } = DECODERS[codec];
  const decoder = await loadInThread(open);
  const take = (decoded: Decoded): void => {
    if (decoded.samplesDecoded === 0) return;
    if (decoded.sampleRate !== sampleRate)
      throw new UndecodableAudioError(`${STREAMS[codec]} that changes its rate`);
    sink.add(decoded.channelData.slice(0, channels));
  };
  try {
    await decoder.ready;
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      take(await decoder.decode(bytes.subarray(at, at + chunkBytes)));
    }
    if (ending) take(await decoder.decode(ending));
    if (decoder.flush) take(await decoder.flush());
  } catch (error) {
    if (error instanceof UndecodableAudioError) throw error;
    throw new UndecodableAudioError(`${STREAMS[codec]} that is damaged`, { cause: error });
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
