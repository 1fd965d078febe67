import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { makeVoice } from '../support/previews';
import { Stack, type IssuedKey } from '../support/stack';
import { setTimeout as pause } from 'node:timers/promises';

const CALLERS = 40;
const LIMIT = 3;
/** Minutes of speech: more than a connection takes from a client that does not read, so that a stream runs until it is closed. */
const TEXT = 'The harbour was quiet that morning, and the boats lay still. '.repeat(64);

let stack: Stack;
let key: IssuedKey;
let voiceId: string;
let apis: ApiProcess[];

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  const owner = await stack.issueKey({ tier: 'enterprise' });
  ({ voiceId } = await makeVoice(stack, owner.secret));
  key = await stack.issueKey({ accountId: owner.accountId, concurrencyLimit: LIMIT });
  apis = await Promise.all([1, 2].map(() => ApiProcess.start(stack.config)));
});

afterAll(async () => {
  await Promise.all(apis.map((api) => api.stop()));
  await stack.stop();
});

it(`of ${CALLERS} callers of a key that may run ${LIMIT}, over two processes, never one more is served at once`, async () => {
  // Counted by the callers: between its first byte and its being closed, a stream runs.
  let open = 0;
  let most = 0;
  const statuses: Record<number, number> = {};
  const listenOnce = async (url: string): Promise<void> => {
    const client = new AbortController();
    const response = await fetch(`${url}/v1/text-to-speech/${voiceId}/stream?output_format=pcm_48000`, {
      method: 'POST',
      headers: { 'xi-api-key': key.secret, 'content-type': 'application/json' },
      body: JSON.stringify({ text: TEXT }),
      signal: client.signal,
    });
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    if (response.status !== 200) {
      await response.text();
      await pause(50);
      return listenOnce(url);
    }
    open += 1;
    most = Math.max(most, open);
    // The first ones stay open until as many as may run do, on a slow machine too.
    await eventually(() => expect(most).toBeGreaterThanOrEqual(LIMIT));
    await pause(100);
    open -= 1;
    client.abort();
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, i) => listenOnce(apis[i % 2]!.url)));
  process.stdout.write(
    `${CALLERS} callers, ${LIMIT} at once: most ${most}, by status ${JSON.stringify(statuses)}\n`,
  );
  expect([most, statuses[200]]).toEqual([LIMIT, CALLERS]);
  expect(statuses[429]).toBeGreaterThan(0);
  await eventually(async () => {
    const rows = await stack.dataSource.query('SELECT FROM generation_slot');
    expect(rows).toEqual([]);
  });
});
