import {
  codecsOfMp4,
  latin1,
  nameOf,
  sniffForeign,
  sniffMagic,
  type ForeignContainer,
  type PacketContainer,
} from './container';
import { bytesPerSample, decodePcm } from './decode-pcm';
import { outlineMp4, withIndexFirst } from './mp4-boxes';
import type { Sink } from './sample-sink';
import { UndecodableAudioError } from './undecodable-audio.error';
import { packedIn, readWavHeader } from './wav-header';

/** Sound that Greenroom has no decoder of; an ffmpeg decodes it where there is one. */
export interface ForeignAudio {
  container: ForeignContainer | PacketContainer | 'wav';
  codec: string;
  /** What its header promises, or 0. */
  promisedSecs: number;
}

/** The same, decoded by a process beside this one: the parts of a WAV file. */
export interface ForeignStream extends ForeignAudio {
  sizeBytes: number;
  parts: AsyncIterator<Uint8Array, void>;
}

/** Our headers are always shorter. */
const HEADER_BYTES = 1_024;
/** Where the codecs of the tracks of a Matroska file are. */
const TRACKS_WITHIN = 65_536;
const LONGEST_CLAIM_SECS = 7_200;
/** Encoders put so much before and behind the sound, which decoders take off again. */
const PADDING_SECS = 0.25;

/** Null for what Greenroom decodes, and for what is not sent to ffmpeg. */
export function foreignAudioOf(bytes: Uint8Array): ForeignAudio | null {
  const foreign = sniffForeign(bytes);
  if (foreign) return { container: foreign, codec: foreign, promisedSecs: 0 };
  const container = sniffMagic(bytes);
  if (container === 'wav') {
    const packed = packedIn(bytes);
    return packed && { container, codec: packed.codec, promisedSecs: credible(packed.claimedSecs) };
  }
  if (container === 'webm') {
    const codec = /A_(?!OPUS)(AAC|VORBIS|PCM|FLAC|MPEG|AC3|ALAC)/.exec(latin1(bytes, 0, TRACKS_WITHIN))?.[1];
    return codec ? { container, codec: codec.toLowerCase(), promisedSecs: 0 } : null;
  }
  if (container !== 'mp4') return null;
  const codecs = codecsOfMp4(bytes);
  if (codecs.length === 0 || codecs.includes('Opus')) return null;
  const { claimedSecs } = outlineMp4(bytes);
  return { container, codec: codecs[0]!.toLowerCase(), promisedSecs: credible(claimedSecs) };
}

function credible(claimedSecs: number): number {
  return claimedSecs < LONGEST_CLAIM_SECS ? Math.max(0, claimedSecs - PADDING_SECS) : 0;
}

/** The bytes as a process reads them that gets them in order. */
export function inOrder(bytes: Uint8Array, { container }: ForeignAudio): Uint8Array {
  return container === 'mp4' ? withIndexFirst(bytes) : bytes;
}

/**
 * Opens sound that is decoded elsewhere.
 *
 * @throws UndecodableAudioError when nothing comes of it
 */
export async function openForeign({ container, codec, promisedSecs, parts }: ForeignStream) {
  const head = await readHead(parts);
  if (head.length === 0) throw new UndecodableAudioError(`${nameOf(container)} that is damaged`);
  const { codec: samples, sampleRate, channels, data } = readWavHeader(head);
  const blockBytes = bytesPerSample(samples) * channels;
  return {
    container,
    codec,
    sampleRate,
    channels,
    expected: promisedSecs * sampleRate,
    promised: promisedSecs * sampleRate,
    missing: 0,
    decode: async (sink: Sink) => {
      let waiting = data;
      for (;;) {
        const whole = waiting.length - (waiting.length % blockBytes);
        decodePcm(waiting.subarray(0, whole), samples, channels, sink);
        const { value, done } = await parts.next();
        if (done) return;
        waiting = Buffer.concat([waiting.subarray(whole), value]);
      }
    },
  };
}

async function readHead(parts: ForeignStream['parts']): Promise<Uint8Array> {
  let head = new Uint8Array(0);
  while (head.length < HEADER_BYTES) {
    const { value, done } = await parts.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}
