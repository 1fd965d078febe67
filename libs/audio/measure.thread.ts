import { decodeAudio, DEFAULT_LIMITS } from './decode-audio';
import { encodeAudio, EncodedAudio } from './encode-audio';
import { measureRecording } from './measure-recording';
import { OutputFormat } from './output-format';
import { Pcm } from './pcm';
import { UndecodableAudioError } from './undecodable-audio.error';
import type { MeasuredAudio } from './audio-threads';

/** What a thread answers: errors lose their class between threads, so the final one travels as data. */
export type MeasureAnswer = { measured: MeasuredAudio } | { undecodable: string };

// The decoders print every damaged frame; what matters of it is in the answer.
console.error = () => undefined;

export async function measure({
  bytes,
  mediaType,
}: {
  bytes: Uint8Array;
  mediaType?: string;
}): Promise<MeasureAnswer> {
  try {
    const { samples, ...info } = await decodeAudio(bytes, DEFAULT_LIMITS, mediaType);
    const measurements = await measureRecording({ samples, sampleRate: info.sampleRate });
    return { measured: { measurements, audioInfo: { ...info, durationSecs: measurements.durationSecs } } };
  } catch (error) {
    if (error instanceof UndecodableAudioError) return { undecodable: error.found };
    throw error;
  }
}

export async function encode({ pcm, format }: { pcm: Pcm; format: OutputFormat }): Promise<EncodedAudio> {
  return encodeAudio(pcm, format);
}
