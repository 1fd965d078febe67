/** Taken in turn: how long speech lasts, and so how long it takes to make, depends on who is described. */
export const DESCRIPTIONS = [
  'A warm, deep male narrator with a calm and slow pace, for long documentaries.',
  'A friendly young woman with a bright, clear voice.',
  'An old British gentleman, hoarse and dignified.',
  'An energetic sports commentator who speaks fast.',
  'A neutral, professional voice for a telephone menu.',
];
export const SENTENCE =
  'The harbour was quiet that morning, and the boats lay still while the fog moved slowly over the sea. ';
export const TEXT = SENTENCE.repeat(2).slice(0, 200);

/** How long a customer waits until the first preview can be heard; the others are awaited before the next design. */
export async function firstOfStreamed(caller, rounds) {
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = await timed(async () => {
      const ids = await design(caller, TEXT, { stream_previews: true });
      await firstByte(caller, ids[0]);
      return ids;
    });
    for (const id of first.result ?? []) await firstByte(caller, id);
    results.push(first);
  }
  return results;
}

let designed = 0;

export async function design(caller, text, changes = {}) {
  const voice_description = DESCRIPTIONS[designed++ % DESCRIPTIONS.length];
  const body = { voice_description, text, seed: Math.floor(Math.random() * 2 ** 31), ...changes };
  const { previews } = await send(caller, 'POST', '/v1/text-to-voice/design', body);
  return previews.map((preview) => preview.generated_voice_id);
}

export async function firstByte({ baseUrl, key }, id) {
  const answer = await fetch(`${baseUrl}/v1/text-to-voice/${id}/stream`, { headers: { 'xi-api-key': key } });
  if (!answer.ok) throw new Error(`The stream responded ${answer.status}.`);
  const reader = answer.body.getReader();
  await reader.read();
  await reader.cancel();
}

class Refused extends Error {}

export async function send({ baseUrl, key }, method, path, body) {
  const answer = await fetch(baseUrl + path, {
    method,
    headers: { 'xi-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
  const json = await answer.json();
  if (answer.status === 429) throw new Refused();
  if (!answer.ok) throw new Error(`${method} ${path} responded ${answer.status}: ${JSON.stringify(json)}`);
  return json;
}

export async function repeat(times, run) {
  const results = [];
  for (let time = 0; time < times; time += 1) results.push(await timed(run));
  return results;
}

export async function timed(run) {
  const startedAt = performance.now();
  try {
    return { result: await run(), ms: performance.now() - startedAt };
  } catch (error) {
    if (error instanceof Refused) return { refused: true };
    throw error;
  }
}
