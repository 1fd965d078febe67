import { endOfPage } from './ogg-pages';
import { OggWriter } from './ogg-writer';
import { opusTags } from './opus-stream';

/** The name of the comment in containers whose comments have names. */
const COMMENT = 'SYNTHETIC_AUDIO';
/** Where the samples of a WAV file of ours begin: behind `fmt `. */
const WAV_FORMAT_END = 36;

type Writer = (beginning: Buffer, text: string) => Buffer;

/** By media type. Bare samples have no place for a comment. */
const WRITERS: Record<string, Writer> = {
  'audio/mpeg': (mp3, text) => Buffer.concat([id3(text), mp3]),
  'audio/wav': markWav,
  'audio/ogg': markOpus,
};

/**
 * Writes a comment into audio that `encodeAudio` or a stream of ours has made: ID3v2.4 `TXXX` (MP3), an Opus comment (RFC 7845,
 * 5.2) or `LIST` `INFO` `ICMT` (WAV). The sound stays as it is.
 *
 * @param beginning the whole, or the first part of a stream
 * @param text printable ASCII
 * @returns the same bytes where the format has no comments
 */
export function markAudio(
  beginning: Uint8Array<ArrayBuffer>,
  mediaType: string,
  text: string,
): Uint8Array<ArrayBuffer> {
  const write = WRITERS[mediaType];
  if (!write) return beginning;
  return new Uint8Array(write(Buffer.from(beginning.buffer, beginning.byteOffset, beginning.length), text));
}

/** A tag with one frame. Sizes have seven bits a byte, so that none of them looks like the beginning of sound. */
function id3(text: string): Buffer {
  const content = Buffer.from(`\x03${COMMENT}\0${text}`, 'latin1');
  const frame = Buffer.concat([Buffer.from('TXXX'), sevenBits(content.length), Buffer.alloc(2), content]);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), sevenBits(frame.length), frame]);
}

function sevenBits(size: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f));
}

/** Before the samples, so that it comes with the first part. */
function markWav(wav: Buffer, text: string): Buffer {
  const comment = `${COMMENT} ${text}\0`;
  // A chunk has an even number of bytes.
  const padded = Buffer.from(comment.padEnd(comment.length + (comment.length & 1), '\0'), 'latin1');
  const list = Buffer.alloc(20);
  list.write('LIST', 0, 'latin1');
  list.writeUInt32LE(12 + padded.length, 4);
  list.write('INFOICMT', 8, 'latin1');
  list.writeUInt32LE(comment.length, 16);
  const head = Buffer.from(wav.subarray(0, WAV_FORMAT_END));
  head.writeUInt32LE(head.readUInt32LE(4) + list.length + padded.length, 4);
  return Buffer.concat([head, list, padded, wav.subarray(WAV_FORMAT_END)]);
}

/** The second page is that of the comments. */
function markOpus(ogg: Buffer, text: string): Buffer {
  const start = endOfPage(ogg, 0);
  const page = new OggWriter(ogg.readUInt32LE(14), 1).page([opusTags([`${COMMENT}=${text}`])], 0);
  return Buffer.concat([ogg.subarray(0, start), page, ogg.subarray(endOfPage(ogg, start))]);
}
