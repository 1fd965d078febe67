import { randomBytes } from 'node:crypto';
import { newPublicId } from '../../libs/domain/public-id';
import { createBody, designBody } from './samples';
import type { IssuedKey, JsonBody, Stack } from './stack';

/** The ids of three previews that were just designed. */
export async function designPreviews(
  stack: Stack,
  { secret }: IssuedKey,
  changes: Record<string, unknown> = {},
): Promise<string[]> {
  const design = { secret, body: designBody(changes) };
  const { body } = await stack.request('POST', '/v1/text-to-voice/design', design);
  return (body.previews as { generated_voice_id: string }[]).map((preview) => preview.generated_voice_id);
}

/** Makes previews from one that exists, without the time that speech takes. */
export async function copyPreviews(stack: Stack, previewId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newPublicId(randomBytes));
  await stack.dataSource.query(
    `INSERT INTO preview (id, account_id, key_id, description, text, engine, spec, understood, language, audio_digest,
       duration_secs, request_id, expires_at)
     SELECT unnest($2::text[]), account_id, key_id, description, text, engine, spec, understood, language, audio_digest,
       duration_secs, request_id, expires_at FROM preview WHERE id = $1`,
    [previewId, ids],
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
