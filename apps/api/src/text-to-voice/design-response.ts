import type { FastifyReply } from 'fastify';
import type { Preview } from '@app/database/voices/preview.entity';
import type { EncodedAudio } from '@app/audio/codecs/encode-audio';
import { writeSyntheticMark } from '../http/synthetic-mark';
import { writeUnspoken } from './unspoken-header';

/** A preview with its audio in the requested format, or null while it is still being spoken. */
interface GeneratedPreview {
  preview: Pick<Preview, 'id' | 'language' | 'durationSecs'>;
  audio: EncodedAudio | null;
}

/** The result of a design, a remix or the older create-previews. */
export interface Generated {
  previews: GeneratedPreview[];
  /** What says that the audio is machine-made; null without audio, and where that is off. */
  mark: string | null;
  text: string;
  /** Credits. */
  cost: number;
  /** Characters of the text that the engine leaves out. */
  unspoken: string[];
  /** Words of the description that mean nothing to the engine. */
  withoutEffect: string[];
}

export interface DesignResponse {
  previews: {
    /** Empty while the preview is still being spoken: then its stream has the audio. */
    audio_base_64: string;
    generated_voice_id: string;
    media_type: string;
    duration_secs: number;
    language: string;
  }[];
  text: string;
}

/** What the stream of a preview always is. */
const STREAMED_MEDIA_TYPE = 'audio/mpeg';

/** A response to a generation, as it is stored for its `Idempotency-Key`. */
export interface GenerationResponse extends ReturnType<typeof toGenerationResponse> {}

export function toGenerationResponse({ previews, text, ...rest }: Generated) {
  return {
    ...rest,
    body: { previews: previews.map(toPreviewResponse), text },
  };
}

/** Writes the headers of a generation and gives its body. */
export function sendGeneration(
  reply: FastifyReply,
  { body, cost, unspoken, withoutEffect, mark }: GenerationResponse,
): DesignResponse {
  const ids = body.previews.map((preview) => preview.generated_voice_id);
  void reply
    .header('character-cost', cost)
    .header('generated_voice_id', ids[0])
    .header('generated_voice_ids', ids.join(','));
  writeUnspoken(reply, unspoken);
  writeSyntheticMark(reply, mark);
  if (withoutEffect.length > 0) void reply.header('x-words-without-effect', wordsForHeader(withoutEffect));
  return body;
}

function toPreviewResponse({ preview, audio }: GeneratedPreview): DesignResponse['previews'][number] {
  return {
    audio_base_64: audio ? toBase64(audio.bytes) : '',
    generated_voice_id: preview.id,
    media_type: audio?.mediaType ?? STREAMED_MEDIA_TYPE,
    duration_secs: preview.durationSecs,
    language: preview.language,
  };
}

function toBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

const MAX_HEADER = 1_000;

/** Headers have no letters beyond ASCII: words are written as in an address. */
function wordsForHeader(words: string[]): string {
  const written = words.map((word) => encodeURIComponent(word.toWellFormed())).join(', ');
  return written.length <= MAX_HEADER ? written : written.slice(0, written.lastIndexOf(',', MAX_HEADER));
}
