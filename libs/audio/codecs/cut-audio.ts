import { readMpegFrame } from './mpeg-frame';
import { endOfPage } from './ogg-pages';
import { codecOf, type OutputFormat } from './output-format';

/** Parts of encoded audio that are no longer than `maxBytes` and end with a frame, a page or a sample. */
export function cutAudio(audio: Uint8Array, format: OutputFormat, maxBytes: number): Uint8Array[] {
  const { codec } = codecOf(format);
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at < audio.length;) {
    const end = Math.min(audio.length, at + unitBytes(audio, at, codec));
    if (end - start > maxBytes && at > start) {
      parts.push(audio.subarray(start, at));
      start = at;
    }
    at = end;
  }
  return start < audio.length || parts.length === 0 ? [...parts, audio.subarray(start)] : parts;
}

function unitBytes(audio: Uint8Array, at: number, codec: string): number {
  if (codec === 'mp3') return readMpegFrame(audio, at)?.bytes ?? 1;
  if (codec === 'opus') return endOfPage(audio, at) - at;
  return codec === 'pcm' ? 2 : 1;
}
