import type { IssuedKey, JsonBody, Stack } from './stack';
import type { Pcm } from '../../libs/audio/codecs/pcm';
import { createBody, designBody } from './samples';
import { id3Length } from '../../libs/audio/codecs/tags';
import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { medianPitch, spectrumDistanceDb } from './audio/voice-measures';
import { newPublicId } from '../../libs/domain/common/public-id';
import { randomBytes } from 'node:crypto';

/** One preview of a response. */
export interface PreviewResponse {
  audio_base_64: string;
  generated_voice_id: string;
  media_type: string;
  duration_secs: number;
  language: string;
}

export const previewsOf = (response: { body: JsonBody }) => response.body.previews as PreviewResponse[];

/** The audio of an MP3 preview without its tag, which names the preview: the same of the same sound. */
export function framesOf({ audio_base_64 }: PreviewResponse): string {
  const bytes = Buffer.from(audio_base_64, 'base64');
  return bytes.toString('base64', id3Length(bytes));
}

/** Decodes the audio of a preview by its label alone. */
export async function soundOf({ audio_base_64, media_type }: PreviewResponse): Promise<Pcm> {
  return decodeAudio(Buffer.from(audio_base_64, 'base64'), undefined, media_type);
}

/** What can be measured of how a preview speaks: pitch in Hz, and seconds that the same text takes. */
export async function measure(preview: PreviewResponse): Promise<{ sound: Pcm; hz: number; secs: number }> {
  const sound = await soundOf(preview);
  return { sound, hz: medianPitch(sound), secs: sound.samples.length / sound.sampleRate };
}

/** How far two previews of one text are apart: semitones, dB of spectrum, and share of the tempo. */
export async function distance(one: PreviewResponse, other: PreviewResponse) {
  const [a, b] = [await measure(one), await measure(other)];
  return {
    semitones: Math.abs(12 * Math.log2(a.hz / b.hz)),
    spectrumDb: spectrumDistanceDb(a.sound, b.sound),
    tempo: Math.abs(Math.log(a.secs / b.secs)),
  };
}

/** Designs a voice and creates it for the account; returns its id and its preview. */
export async function makeVoice(
  stack: Stack,
  secret: string,
  changes: Record<string, unknown> = {},
): Promise<{ voiceId: string; preview: PreviewResponse }> {
  const body = designBody(changes);
  const [preview] = previewsOf(
    await stack.requestUntilServed('POST', '/v1/text-to-voice/design', { secret, body }),
  ) as [PreviewResponse];
  const created = await stack.requestUntilServed('POST', '/v1/text-to-voice', {
    secret,
    body: createBody(preview.generated_voice_id),
  });
  return { voiceId: created.body.voice_id as string, preview };
}

/** A key whose account has a voice. */
export interface VoiceOwner extends IssuedKey {
  voiceId: string;
}

/** One for all tests of a file that share a stack. */
export function voiceOwnerOfFile(stack: Stack): VoiceOwner {
  const owner = {} as VoiceOwner;
  beforeAll(async () => {
    const key = await stack.issueKey({ tier: 'pro' });
    const { voiceId } = await makeVoice(stack, key.secret);
    Object.assign(owner, key, { voiceId });
  });
  return owner;
}

/** Credits that a key has used. */
export async function creditsUsed({ dataSource }: Stack, keyId: string): Promise<number> {
  const rows = await dataSource.query<{ used: string }[]>(
    'SELECT used FROM credit_balance WHERE subject_id = $1',
    [keyId],
  );
  return Number(rows[0]?.used ?? 0);
}

/** The ids of three previews that were just designed. */
export async function designPreviews(
  stack: Stack,
  { secret }: IssuedKey,
  changes: Record<string, unknown> = {},
): Promise<string[]> {
  const design = { secret, body: designBody(changes) };
  const { status, body } = await stack.requestUntilServed('POST', '/v1/text-to-voice/design', design);
  if (status !== 200) throw new Error(`A design was refused: ${status} ${JSON.stringify(body)}`);
  return (body.previews as { generated_voice_id: string }[]).map((preview) => preview.generated_voice_id);
}

/** Copies an existing preview, without the time that speech takes; for the same account by default. */
export async function copyPreviews(
  stack: Stack,
  previewId: string,
  count: number,
  accountId: string | null = null,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newPublicId(randomBytes));
  await stack.dataSource.query(
    `INSERT INTO preview (id, account_id, key_id, description, text, engine, spec, understood, language, audio_digest,
       duration_secs, request_id, expires_at)
     SELECT unnest($2::text[]), coalesce($3, account_id), key_id, description, text, engine, spec, understood, language, audio_digest,
       duration_secs, request_id, expires_at FROM preview WHERE id = $1`,
    [previewId, ids, accountId],
  );
  return ids;
}

/** Voices of one account, one for each change of the usual request. */
export async function createVoices(
  stack: Stack,
  key: IssuedKey,
  changes: Record<string, unknown>[],
): Promise<JsonBody[]> {
  const [first] = await designPreviews(stack, key);
  const ids = await copyPreviews(stack, first!, changes.length);
  const voices: JsonBody[] = [];
  for (const [index, id] of ids.entries()) {
    const body = createBody(id, changes[index]);
    voices.push((await stack.request('POST', '/v1/text-to-voice', { secret: key.secret, body })).body);
  }
  return voices;
}
