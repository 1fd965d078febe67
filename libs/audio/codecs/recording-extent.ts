import { describeForeign, nameOf, sniffContainer, sniffForeign, type Container } from './container';
import { endOfAdts, endOfAiff, endOfAmr, endOfWma } from './foreign-frames';
import { endOfMp4 } from './mp4-boxes';
import { endOfMpeg, findTwoFrames } from './mpeg-frame';
import { readOggPages } from './ogg-pages';
import { withoutTags } from './tags';
import { UndecodableAudioError } from './undecodable-audio.error';
import { endOfWav } from './wav-header';
import { endOfWebm } from './webm-elements';

/**
 * Where a recording ends by what its own frames, pages, chunks or boxes say; the end of the file where the last of them is
 * cut off.
 */
const ENDS: Record<Container, (bytes: Uint8Array) => number> = {
  wav: endOfWav,
  mp3: endOfMpeg,
  // A frame does not say how long it is: `decodeStream` counts them.
  flac: (bytes) => bytes.length,
  'ogg-vorbis': endOfOgg,
  'ogg-opus': endOfOgg,
  'ogg-flac': endOfOgg,
  webm: endOfWebm,
  mp4: endOfMp4,
  amr: endOfAmr,
  adts: endOfAdts,
  aiff: endOfAiff,
  wma: endOfWma,
};

/**
 * The recording in a file, without the tags and zeros that other programs put behind it. A second recording, or anything else
 * that a decoder would leave out and a player might play, was neither measured nor counted: such a file is refused.
 *
 * @throws UndecodableAudioError with the place where the recording ends
 */
export function recordingIn(bytes: Uint8Array, container: Container): Uint8Array {
  const body = withoutTags(bytes);
  const end = ENDS[container](body);
  let rest = end;
  while (body[rest] === 0) rest++;
  if (rest < body.length) throw unreadFrom(bytes, end, container);
  // Players that do not know a kind of tag look for sound in it.
  if (hidesSound(bytes.subarray(body.length))) throw unreadFrom(bytes, body.length, container);
  return body.subarray(0, end);
}

/** The error for a file of which nothing is read from `at`. */
export function unreadFrom(bytes: Uint8Array, at: number, container: Container): UndecodableAudioError {
  const rest = bytes.subarray(at);
  const other = sniffContainer(rest) ?? sniffForeign(rest);
  const what = other ? nameOf(other) : describeForeign(rest);
  return new UndecodableAudioError(
    `${nameOf(container)} that is read up to byte ${at} of ${bytes.length} and followed by ${what}`,
  );
}

function hidesSound(tags: Uint8Array): boolean {
  const buffer = Buffer.from(tags.buffer, tags.byteOffset, tags.length);
  return (
    buffer.includes('OggS', 0, 'latin1') ||
    buffer.includes('fLaC') ||
    findTwoFrames(tags, 0, tags.length) !== null
  );
}

function endOfOgg(bytes: Uint8Array): number {
  return readOggPages(bytes).end;
}
