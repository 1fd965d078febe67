import { decodeAudio, type DecodedAudio } from '@app/audio/codecs/decode-audio';
import { EncodedAudio, encodeAudio } from '@app/audio/codecs/encode-audio';
import { OutputFormat } from '@app/audio/codecs/output-format';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { levelTo } from './level-loudness';

export interface ConvertTask {
  /** A recording as the server sent it; its kind is recognised by its bytes. */
  bytes: Uint8Array;
  /** Null to leave the loudness as it is. */
  lufs: number | null;
  formats: OutputFormat[];
}

/** Far more than the longest text takes. */
const LIMITS = { maxBytes: 32_000_000, maxSecs: 300 };

/** -60 dBFS: below every sample of it, there is no speech. */
const INAUDIBLE = 1e-3;

/** Worker thread entry: decodes a recording, levels it and encodes it once for each format, in their order. */
export default async function convert({
  bytes,
  lufs,
  formats,
}: ConvertTask): Promise<ReturnType<typeof move>> {
  const decoded = requireSpeech(await decodeAudio(bytes, LIMITS));
  const levelled = lufs === null ? decoded : levelTo(decoded, lufs);
  const encoded: EncodedAudio[] = [];
  for (const format of formats) encoded.push(await encodeAudio(levelled, format));
  return move({ [transferableSymbol]: encoded.map((one) => one.bytes.buffer), [valueSymbol]: encoded });
}

/** A server that fails while it speaks may have sent the beginning, or nothing that can be heard. */
function requireSpeech(decoded: DecodedAudio): DecodedAudio {
  const { samples, sampleRate, lostSecs } = decoded;
  const secs = samples.length / sampleRate;
  if (lostSecs > 0)
    throw new Error(`it ends after ${secs.toFixed(2)} of ${(secs + lostSecs).toFixed(2)} seconds`);
  if (!samples.some((sample) => Math.abs(sample) > INAUDIBLE)) throw new Error('it is silent');
  return decoded;
}
