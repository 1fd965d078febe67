import type { VoiceEngine } from '../../libs/voice-engine/voice-engine';
import { VOICE_ENGINE } from '../../libs/voice-engine/voice-engine.provider';
import { eventually } from '../support/eventually';
import { creditsUsed, makeVoice } from '../support/previews';
import { SENTENCES, TEXT } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { TcpProxy } from '../support/tcp-proxy';
import { createTestDatabase } from '../support/test-database';

let network: TcpProxy;
let stack: Stack;
let key: IssuedKey;
let voiceId: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  network = await TcpProxy.to(database.url);
  stack = await Stack.start({ worker: false, database, env: { DATABASE_URL: network.url } });
});

afterAll(async () => {
  await stack.stop();
  await network.stop();
});

beforeEach(async () => {
  key = await stack.issueKey({ tier: 'pro' });
  ({ voiceId } = await makeVoice(stack, key.secret));
});

afterEach(() => {
  jest.restoreAllMocks();
});

const speak = (text: string, path = '', query = '') =>
  fetch(`${stack.baseUrl}/v1/text-to-speech/${voiceId}${path}?output_format=pcm_16000${query}`, {
    method: 'POST',
    headers: { 'xi-api-key': key.secret, 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });

/** Does something while the engine speaks the piece with this number, from 0 on. */
function during(piece: number, run: () => Promise<unknown>): void {
  const engine = stack.api.get<VoiceEngine>(VOICE_ENGINE);
  const speakPiece = engine.speak.bind(engine);
  let spoken = 0;
  jest.spyOn(engine, 'speak').mockImplementation(async (...input) => {
    const audio = await speakPiece(...input);
    if (spoken++ === piece) await run();
    return audio;
  });
}

async function holds(): Promise<number> {
  const rows = await stack.asOwner('SELECT 1 FROM credit_hold WHERE account_id = $1', [key.accountId]);
  return rows.length;
}

it('a stream whose end finds no database is sent, and charged when there is one again', async () => {
  const before = await creditsUsed(stack, key.keyId);
  during(SENTENCES.length - 1, async () => network.refuse(true));
  const audio = await (await speak(SENTENCES.join(''), '/stream')).arrayBuffer();
  expect(audio.byteLength).toBeGreaterThan(10_000);
  // Longer than the response has waited for its charge.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  network.refuse(false);
  await eventually(async () => expect(await holds()).toBe(0));
  expect(await creditsUsed(stack, key.keyId)).toBe(before + SENTENCES.join('').length);
});

it('whole speech is sent although the response to its charge was lost, and is charged once', async () => {
  const before = await creditsUsed(stack, key.keyId);
  during(0, async () => void (network.losesResponseTo = 'end_hold'));
  const response = await speak(TEXT, '', '&enable_logging=false');
  expect(response.status).toBe(200);
  expect(network.losesResponseTo).toBeNull();
  expect(await creditsUsed(stack, key.keyId)).toBe(before + TEXT.length);
  expect(await holds()).toBe(0);
});

it.each([
  ['speech', () => speak(TEXT)],
  ['streamed speech', () => speak(TEXT, '/stream')],
])('the credits of %s come back when the response to their hold was lost', async (_, send) => {
  const before = await creditsUsed(stack, key.keyId);
  network.losesResponseTo = 'settle_batch';
  expect((await send()).status).toBe(503);
  expect(network.losesResponseTo).toBeNull();
  await eventually(async () => expect(await holds()).toBe(0));
  expect(await creditsUsed(stack, key.keyId)).toBe(before);
});

it('a stream ends with its key, and what was sent is charged', async () => {
  const before = await creditsUsed(stack, key.keyId);
  const manager = await StaffClient.signedIn(stack, 'account_manager');
  during(1, async () => {
    const reason = { reason: 'A test', disable_reason: 'security_incident' };
    await manager.post(`/admin/api-keys/${key.keyId}/disable`, reason, { 'if-match': '*' });
  });
  const response = await speak(SENTENCES.join(''), '/stream');
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow();
  await eventually(async () => expect(await holds()).toBe(0));
  const sent = SENTENCES[0]!.length + SENTENCES[1]!.length;
  expect(await creditsUsed(stack, key.keyId)).toBe(before + sent);
});
