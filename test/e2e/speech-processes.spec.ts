import { CreditLedger } from '../../libs/credits/credit-ledger';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { ApiProcess } from '../support/api-process';
import { creditsUsed, makeVoice } from '../support/previews';
import { Stack, type IssuedKey } from '../support/stack';

const STREAMS = 20;
/** Four minutes of speech, 23 MB at 48 kHz: more than a connection holds for a client that does not read on. */
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

interface Listener {
  requestId: string;
  historyItemId: string;
  /** Reads what is left; true if the stream broke before its end. */
  readOn: () => Promise<boolean>;
}

/** Resolves when the first sentence has arrived, and reads no more until it is told to. */
async function listen(url: string): Promise<Listener> {
  const response = await fetch(`${url}/v1/text-to-speech/${voiceId}/stream?output_format=pcm_48000`, {
    method: 'POST',
    headers: { 'xi-api-key': key.secret, 'content-type': 'application/json' },
    body: JSON.stringify({ text: TEXT }),
  });
  if (response.status !== 200) {
    const body = await response.text();
    // The api counts generations together with others, and refuses while that takes long.
    if (body.includes('"system_busy"')) return listen(url);
    throw new Error(`A stream was refused: ${response.status} ${body}`);
  }
  const reader = response.body!.getReader();
  await reader.read();
  const toTheEnd = async (): Promise<boolean> => {
    for (;;) {
      const { done } = await reader.read();
      if (done) return false;
    }
  };
  return {
    requestId: response.headers.get('request-id')!,
    historyItemId: response.headers.get('history-item-id')!,
    readOn: () => toTheEnd().catch(() => true),
  };
}

/** What the ledger says of a request, in order. */
async function kindsOf(requestId: string): Promise<string[]> {
  const rows = await stack.dataSource.query<{ kind: string }[]>(
    'SELECT kind FROM credit_ledger WHERE request_id = $1 ORDER BY id',
    [requestId],
  );
  return rows.map(({ kind }) => kind);
}

it(`an api that is killed in the middle of ${STREAMS} streams charges nothing, and returns what it held`, async () => {
  const used = await creditsUsed(stack, key.keyId);
  const api = await ApiProcess.start(stack.config);
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => listen(api.url)));
  await api.stop('SIGKILL');
  const broken = await Promise.all(streams.map(({ readOn }) => readOn()));
  expect(broken).toEqual(streams.map(() => true));

  // The customer sees what is held as used until the deadline, and not a credit more.
  expect(await creditsUsed(stack, key.keyId)).toBe(used + STREAMS * TEXT.length);
  await stack.dataSource.query(`UPDATE credit_hold SET deadline = now() - interval '1 second'`);
  await stack.api.get(CreditLedger).endLapsedHolds(10);

  for (const { requestId, historyItemId } of streams) {
    expect([requestId, ...(await kindsOf(requestId))]).toEqual([requestId, 'hold', 'release']);
    const item = await stack.request('GET', `/v1/history/${historyItemId}`, { secret: key.secret });
    expect([historyItemId, item.status]).toEqual([historyItemId, 404]);
  }
  expect(await creditsUsed(stack, key.keyId)).toBe(used);
  expect((await reconcileCredits(stack.dataSource)).breaches).toEqual([]);
});
