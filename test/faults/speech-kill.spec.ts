import { randomInt } from 'node:crypto';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { expiryOf } from '../support/expiry';
import { copyPreviews, designPreviews } from '../support/previews';
import { createBody } from '../support/samples';
import { SpeechSocketClient } from '../support/speech-socket';
import { Stack, type IssuedKey } from '../support/stack';
import { FAULT_OPTIONS } from './fault-options';

const ROUNDS = FAULT_OPTIONS.isLong ? 20 : 4;
const SOCKETS = 4;
const TEXTS = 6;
/** One piece for the engine, and one request of its own. */
const SENTENCE = 'The harbour was quiet before the first boat came in from the sea. ';

/** For all texts, on a busy machine. */
const SPEAKING_MS = 60_000;

jest.setTimeout(60_000 + SPEAKING_MS);

let stack: Stack;
let designed: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  [designed] = (await designPreviews(stack, await stack.issueKey())) as [string];
});

afterAll(async () => {
  await stack.stop();
});

/** A voice of an account, of the preview that all of them share. */
async function createVoice({ secret, accountId }: IssuedKey): Promise<string> {
  const [previewId] = (await copyPreviews(stack, designed, 1, accountId)) as [string];
  const { body } = await stack.requestUntilServed('POST', '/v1/text-to-voice', {
    secret,
    body: createBody(previewId),
  });
  return body.voice_id as string;
}

interface Charged {
  charged: number;
  requests: number;
  used: number;
  kept: number;
}

/** What the ledger, the balance and the history have of a key's speech. */
async function chargedOf({ keyId }: IssuedKey): Promise<Charged> {
  const [row] = await stack.asOwner(
    `SELECT coalesce(sum(amount), 0)::int AS charged, count(DISTINCT request_id)::int AS requests,
       (SELECT used::int FROM credit_balance WHERE subject_id = $1) AS used,
       (SELECT coalesce(sum(characters), 0)::int FROM history_item WHERE key_id = $1) AS kept
     FROM (SELECT request_id, sum(amount) AS amount FROM credit_ledger WHERE key_id = $1 AND operation = 'text_to_speech'
           GROUP BY request_id HAVING sum(amount) <> 0) charges`,
    [keyId],
  );
  return row as Charged;
}

it.each(Array.from({ length: ROUNDS }, () => randomInt(1, SOCKETS * TEXTS)))(
  'killed with -9 after %i texts on sockets: each is charged once or not at all, and nothing stays held',
  async (killAfter) => {
    const owner = await stack.issueKey({ tier: 'pro', concurrency: SOCKETS });
    const voiceId = await createVoice(owner);
    const keys = await Promise.all(
      Array.from({ length: SOCKETS }, () => stack.issueKey({ accountId: owner.accountId })),
    );
    const victim = await ApiProcess.start(stack.config);
    const url = `${victim.url}/v1/text-to-speech/${voiceId}/stream-input?output_format=pcm_16000&sync_alignment=true`;
    const sockets = await Promise.all(
      keys.map(({ secret }) => SpeechSocketClient.open(url, { 'xi-api-key': secret })),
    );
    const begunOn = (socket: SpeechSocketClient) =>
      socket.received.filter(({ alignment }) => alignment).length;
    const begun = () => sockets.reduce((sum, socket) => sum + begunOn(socket), 0);
    for (const socket of sockets)
      for (let text = 0; text < TEXTS; text += 1) socket.send({ text: SENTENCE, flush: true });
    await eventually(() => expect(begun()).toBeGreaterThanOrEqual(killAfter), {
      withinMs: SPEAKING_MS,
      everyMs: 1,
    });
    await victim.stop('SIGKILL');
    await Promise.all(sockets.map(({ closed }) => closed));

    const holds = await stack.asOwner('SELECT 1 FROM credit_hold WHERE account_id = $1', [owner.accountId]);
    await stack.asOwner('UPDATE credit_hold SET deadline = now() WHERE account_id = $1', [owner.accountId]);
    await expiryOf(stack).expire('credit-holds');
    expect(await stack.asOwner('SELECT 1 FROM credit_hold WHERE account_id = $1', [owner.accountId])).toEqual(
      [],
    );
    for (const [index, key] of keys.entries()) {
      const { charged, requests, used, kept } = await chargedOf(key);
      expect([used, kept, requests * SENTENCE.length]).toEqual([charged, charged, charged]);
      const received = begunOn(sockets[index]!);
      // A text begins when the one before it is charged. The last one is charged or not; its audio may be lost on the way.
      expect(requests).toBeGreaterThanOrEqual(received - 1);
      expect(requests).toBeLessThanOrEqual(received + 1);
    }
    expect((await reconcileCredits(stack.dataSource)).breaches).toEqual([]);
    process.stdout.write(`killed after ${begun()} texts: ${holds.length} holds released\n`);
  },
);
