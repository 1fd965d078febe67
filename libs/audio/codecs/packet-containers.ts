import { loadInThread } from '@app/domain/common/load-in-thread';
import type { BufferSource, EncodedPacketSink, InputAudioTrack } from 'mediabunny';
import { describeForeign, nameOf, type PacketContainer } from './container';
import { outlineMp4 } from './mp4-boxes';
import type { Sink } from './sample-sink';
import { UndecodableAudioError } from './undecodable-audio.error';

/** Opus always decodes at 48 kHz. */
const RATE = 48_000;
/** The decoder gets so many packets at a time, a second of ordinary ones, so that the sink can stop it. */
const PACKETS_AT_A_TIME = 50;
/** Ten minutes of the shortest packets, 2.5 ms each. */
const MOST_PACKETS = 240_000;
/** No Opus packet is longer (RFC 6716). */
const MOST_PACKET_BYTES = 61_440;
const LONGEST_CLAIM_SECS = 7_200;
/** Whole files take three reads of one place in a row. */
const MOST_READS_OF_A_PLACE = 1_000;

/** An Opus track of a WebM or MP4 file, as browsers and telephones record it. */
export interface PacketSource {
  codec: 'opus';
  sampleRate: number;
  channels: number;
  expected: number;
  promised: number;
  missing: number;
  decode: (sink: Sink) => Promise<void>;
}

/**
 * Opens the sound of a WebM or MP4 file.
 *
 * @throws UndecodableAudioError when the file is damaged, or its sound is not Opus
 */
export async function openPackets(bytes: Uint8Array, container: PacketContainer): Promise<PacketSource> {
  const { mostSamples, lostBytes } =
    container === 'mp4' ? outlineMp4(bytes) : { mostSamples: 0, lostBytes: 0 };
  if (mostSamples > MOST_PACKETS) throw new UndecodableAudioError(`${nameOf(container)} that is damaged`);
  // Imported here, not above, for the reason in `stream-decoders.ts`.
  const { ALL_FORMATS, BufferSource, EncodedPacketSink, Input, Logging, LogLevel } = await loadInThread(
    async () => import('mediabunny'),
  );
  // What matters of what it says about damage is in the result.
  Logging.level = LogLevel.Silent;
  const input = new Input({ formats: ALL_FORMATS, source: withoutEndlessReads(new BufferSource(bytes)) });
  const track = await whole(container, () => input.getPrimaryAudioTrack());
  if (!track)
    throw new UndecodableAudioError(
      `${nameOf(container)} ${lostBytes > 0 ? 'that is damaged' : 'without any sound in it'}`,
    );
  if (track.codec !== 'opus') throw new UndecodableAudioError(describeForeign(bytes, track.codec));
  const claimedSecs = (await whole(container, () => track.getDurationFromMetadata())) ?? 0;
  const claimed = claimedSecs < LONGEST_CLAIM_SECS ? Math.max(0, claimedSecs * RATE) : 0;
  const lostSamples = async (lost: number) =>
    claimed > 0
      ? (lost / (bytes.length + lost)) * claimed
      : (lost / bytes.length) * (await track.computeDuration()) * RATE;
  return {
    codec: 'opus',
    sampleRate: RATE,
    channels: track.numberOfChannels,
    expected: claimed,
    promised: claimed,
    missing: lostBytes === 0 ? 0 : await whole(container, async () => lostSamples(lostBytes)),
    decode: async (sink) => decodePackets(new EncodedPacketSink(track), track, container, sink),
  };
}

async function decodePackets(
  packets: EncodedPacketSink,
  track: InputAudioTrack,
  container: PacketContainer,
  sink: Sink,
): Promise<void> {
  const { OpusDecoder } = await loadInThread(async () => import('opus-decoder'));
  const channels = track.numberOfChannels;
  const decoder = new OpusDecoder({
    channels,
    streamCount: 1,
    coupledStreamCount: channels - 1,
    channelMappingTable: channels === 1 ? [0] : [0, 1],
    preSkip: await preSkipOf(track, container),
  });
  const flush = (frames: Uint8Array[]) => {
    const { channelData, samplesDecoded } = decoder.decodeFrames(frames);
    if (samplesDecoded > 0) sink.add(channelData.slice(0, channels));
  };
  try {
    await decoder.ready;
    await whole(container, async () => {
      let waiting: Uint8Array[] = [];
      let count = 0;
      for await (const { data } of packets.packets()) {
        if (++count > MOST_PACKETS || data.length > MOST_PACKET_BYTES)
          throw new UndecodableAudioError(`${nameOf(container)} that is damaged`);
        waiting.push(data);
        if (waiting.length < PACKETS_AT_A_TIME) continue;
        flush(waiting);
        waiting = [];
      }
      flush(waiting);
    });
  } finally {
    decoder.free();
  }
}

/**
 * Where junk follows the last element of a WebM file, mediabunny 1.61 reads the eight bytes before the end without an end.
 * Nothing more to read ends that, and the sound before it is decoded. Its types leave out the method that it reads by.
 */
function withoutEndlessReads(source: BufferSource): BufferSource {
  const reader = source as unknown as { _read: (from: number, to: number) => object | null };
  const read = reader._read.bind(source);
  let [lastFrom, lastTo, count] = [-1, -1, 0];
  reader._read = (from, to) => {
    count = from === lastFrom && to === lastTo ? count + 1 : 0;
    [lastFrom, lastTo] = [from, to];
    return count > MOST_READS_OF_A_PLACE ? null : read(from, to);
  };
  return source;
}

/** Samples that the encoder put before the sound (`OpusHead`, RFC 7845). */
async function preSkipOf(track: InputAudioTrack, container: PacketContainer): Promise<number> {
  const config = await whole(container, () => track.getDecoderConfig());
  const { description } = config ?? {};
  if (!description) return 0;
  const head = ArrayBuffer.isView(description)
    ? new DataView(description.buffer, description.byteOffset, description.byteLength)
    : new DataView(description);
  return head.byteLength >= 12 ? head.getUint16(10, true) : 0;
}

/** What the reader of containers says of a broken one is of no use to who sent it. */
async function whole<T>(container: PacketContainer, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UndecodableAudioError) throw error;
    throw new UndecodableAudioError(`${nameOf(container)} that is damaged`, { cause: error });
  }
}
