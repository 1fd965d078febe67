import { MIN_READ_BYTES_PER_SEC, READ_GRACE_MS } from '../../apps/api/src/server/slow-readers';
import { TextToSpeechService } from '../../apps/api/src/text-to-speech/text-to-speech.service';
import { eventually } from '../support/eventually';
import { creditsUsed, makeVoice } from '../support/previews';
import { RawConnection } from '../support/raw-connection';
import { SENTENCES } from '../support/samples';
import { SpeechSocketClient } from '../support/speech-socket';
import { Stack, type IssuedKey } from '../support/stack';

/** More than what the buffers of two ends of a connection hold: at 96 kB a second, some ten minutes. */
const TEXT = SENTENCES.join('').repeat(50);
const QUERY = 'output_format=pcm_48000&model_id=eleven_flash_v2_5';
/** The longest piece of the text, and how often it is looked for those who do not read. */
const LONGEST_PIECE_BYTES = 96_000 * 8;
const CHECK_EVERY_MS = 2_000;
const SLACK_MS = 5_000;

let stack: Stack;
let key: IssuedKey;
let voiceId: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  const owner = await stack.issueKey({ tier: 'pro' });
  ({ voiceId } = await makeVoice(stack, owner.secret));
  key = await stack.issueKey({ accountId: owner.accountId });
});

afterAll(async () => {
  await stack.stop();
});

const holds = () =>
  stack.asOwner('SELECT 1 FROM credit_hold WHERE account_id = $1', [key.accountId]) as Promise<object[]>;

/** Resolves when the speech of the account has ended for the api: with the time since a check before its last piece was spoken. */
async function untilEnded(): Promise<number> {
  const speeches = stack.api.get(TextToSpeechService);
  await eventually(async () => expect(await holds()).toHaveLength(1));
  let checkedMs = performance.now();
  let last = { pieces: -1, checkedMs };
  return eventually(
    async () => {
      const { spokenPieces: pieces } = speeches;
      if (pieces !== last.pieces) last = { pieces, checkedMs };
      checkedMs = performance.now();
      expect(await holds()).toEqual([]);
      return performance.now() - last.checkedMs;
    },
    { withinMs: 100_000 },
  );
}

it('a stream that is no longer read is closed 15 s later, and 1 s for each 32 KiB that wait; what was sent is charged', async () => {
  const before = await creditsUsed(stack, key.keyId);
  const client = await RawConnection.to(stack.baseUrl);
  client.pause();
  const body = JSON.stringify({ text: TEXT });
  client.send(
    `POST /v1/text-to-speech/${voiceId}/stream?${QUERY} HTTP/1.1\r\nHost: here\r\nxi-api-key: ${key.secret}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  const longestMs = READ_GRACE_MS + (LONGEST_PIECE_BYTES / MIN_READ_BYTES_PER_SEC) * 1_000 + CHECK_EVERY_MS;
  const tookMs = await untilEnded();
  process.stdout.write(`a stream that is not read: closed after ${(tookMs / 1_000).toFixed(1)} s\n`);
  expect(tookMs).toBeGreaterThan(READ_GRACE_MS);
  expect(tookMs).toBeLessThan(longestMs + SLACK_MS);
  client.resume();
  await eventually(() => expect(client.isClosed).toBe(true));
  const charged = (await creditsUsed(stack, key.keyId)) - before;
  expect(charged).toBeGreaterThan(0);
  expect(charged).toBeLessThan(TEXT.length);
});

it('a socket whose client does not read is closed after 10 s with its reason; what was sent is charged', async () => {
  const before = await creditsUsed(stack, key.keyId);
  const url = `${stack.baseUrl}/v1/text-to-speech/${voiceId}/stream-input?${QUERY}`;
  const socket = await SpeechSocketClient.open(url, { 'xi-api-key': key.secret });
  socket.webSocket.pause();
  socket.send({ text: TEXT, flush: true });
  const tookMs = await untilEnded();
  process.stdout.write(`a socket that is not read: ended after ${(tookMs / 1_000).toFixed(1)} s\n`);
  expect(tookMs).toBeGreaterThan(10_000);
  expect(tookMs).toBeLessThan(10_000 + SLACK_MS);
  socket.webSocket.resume();
  expect((await socket.closed).code).toBe(1_008);
  expect(socket.error).toMatchObject({ error: 'audio_not_read' });
  const charged = (await creditsUsed(stack, key.keyId)) - before;
  expect(charged).toBeGreaterThan(0);
  expect(charged).toBeLessThan(TEXT.length);
});
