import { readMpegFrame } from './mpeg-frame';

/**
 * MP3 without the Info frame that `encodeMp3` begins it with, for pieces that follow each other in one stream: the frame
 * counts the frames of its own piece, and a player would take that for the length of the whole.
 */
export function withoutInfoFrame<T extends ArrayBufferLike>(mp3: Uint8Array<T>): Uint8Array<T> {
  const bytes = Buffer.from(mp3.buffer, mp3.byteOffset, mp3.byteLength);
  const frame = readMpegFrame(bytes, 0);
  if (!frame) return mp3;
  const tag = 4 + (frame.lowRate ? 9 : 17);
  return bytes.toString('latin1', tag, tag + 4) === 'Info' ? mp3.subarray(frame.bytes) : mp3;
}
