import { CreditLedger } from '../../libs/credits/credit-ledger';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { ApiProcess } from '../support/api-process';
import { creditsUsed, makeVoice } from '../support/previews';
import { Stack, type IssuedKey } from '../support/stack';

const STREAMS = 20;
/** About four minutes of speech, in pieces: none ends before the last stream has begun. */
const TEXT = 'The harbour was quiet that morning, and the boats lay still. '.repeat(64);

let stack: Stack;
let key: IssuedKey;
let voiceId: string;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  key = await stack.issueKey({ tier: 'enterprise' });
  ({ voiceId } = await makeVoice(stack, key.secret));
});

afterAll(async () => {
  await stack.stop();
});

interface Broken {
  requestId: string;
  historyItemId: string;
}

/** Resolves when the first sentence has arrived; the rest is read until the stream breaks. */
async function listen(url: string): Promise<{ broken: Promise<Broken | null> }> {
  const response = await fetch(`${url}/v1/text-to-speech/${voiceId}/stream?output_format=pcm_16000`, {
    method: 'POST',
    headers: { 'xi-api-key': key.secret, 'content-type': 'application/json' },
    body: JSON.stringify({ text: TEXT }),
  });
  const reader = response.body!.getReader();
  await reader.read();
  const ids = {
    requestId: response.headers.get('request-id')!,
    historyItemId: response.headers.get('history-item-id')!,
  };
  const readOn = async (): Promise<Broken | null> => {
    for (;;) {
      const { done } = await reader.read();
      if (done) return null;
    }
  };
  return { broken: readOn().catch(() => ids) };
}

/** What the ledger says of a request, in order. */
const PAID = ['hold', 'release', 'charge'];
const RETURNED = ['hold', 'release'];

async function kindsOf(requestId: string): Promise<string[]> {
  const rows = await stack.dataSource.query<{ kind: string }[]>(
    'SELECT kind FROM credit_ledger WHERE request_id = $1 ORDER BY id',
    [requestId],
  );
  return rows.map(({ kind }) => kind);
}

it(`an api that is killed in the middle of ${STREAMS} streams charges none twice, and returns what it held`, async () => {
  const used = await creditsUsed(stack, key.keyId);
  const api = await ApiProcess.start(stack.config);
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => listen(api.url)));
  await api.stop('SIGKILL');
  const ended = await Promise.all(streams.map(({ broken }) => broken));
  const broken = ended.filter((each) => each !== null);
  expect(broken.length).toBeGreaterThan(STREAMS / 2);

  // The customer sees what is held as used until the deadline, and not a credit more.
  expect(await creditsUsed(stack, key.keyId)).toBe(used + STREAMS * TEXT.length);
  await stack.dataSource.query(`UPDATE credit_hold SET deadline = now() - interval '1 second'`);
  await stack.api.get(CreditLedger).endLapsedHolds(10);

  let charged = STREAMS - broken.length;
  for (const { requestId, historyItemId } of broken) {
    const kinds = await kindsOf(requestId);
    const item = await stack.request('GET', `/v1/history/${historyItemId}`, { secret: key.secret });
    // One whose last sentence was sent just before is charged, and kept.
    const wasCharged = kinds.includes('charge');
    expect([requestId, ...kinds]).toEqual([requestId, ...(wasCharged ? PAID : RETURNED)]);
    expect([historyItemId, item.status]).toEqual([historyItemId, wasCharged ? 200 : 404]);
    charged += wasCharged ? 1 : 0;
  }
  expect(charged).toBeLessThan(STREAMS);
  expect(await creditsUsed(stack, key.keyId)).toBe(used + charged * TEXT.length);
  expect((await reconcileCredits(stack.dataSource)).breaches).toEqual([]);
});
