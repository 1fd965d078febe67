import type { LimitStore } from '../../libs/limits/limit-store';
import { LIMIT_STORE } from '../../libs/limits/limit-store.provider';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { designBody, TEXT } from '../support/samples';
import { Stack } from '../support/stack';

/** The lease of a slot, and what a busy machine adds to it. */
const LEASE_MS = 10_000;
const SLACK_MS = 5_000;

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

it('the slots of an api that was killed with -9 come back when their lease is over, and not before', async () => {
  const key = await stack.issueKey({ concurrency: 2 });
  const store = stack.api.get<LimitStore>(LIMIT_STORE);
  const victim = await ApiProcess.start(stack.config);
  const body = designBody({ text: TEXT.repeat(9) });
  const headers = { 'xi-api-key': key.secret, 'content-type': 'application/json' };
  const generating = [1, 2].map(() =>
    fetch(`${victim.url}/v1/text-to-voice/design`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }).then(
      ({ status }) => status,
      () => 'lost',
    ),
  );
  await eventually(async () => expect(await store.countSlots(key.accountId)).toBe(2), { everyMs: 5 });
  await victim.stop('SIGKILL');
  const killedAtMs = performance.now();
  expect(await Promise.all(generating)).toEqual(['lost', 'lost']);

  const design = async () =>
    (await stack.request('POST', '/v1/text-to-voice/design', { secret: key.secret, body: designBody() }))
      .status;
  expect(await design()).toBe(429);
  const freeAfterMs = await eventually(
    async () => {
      expect(await store.countSlots(key.accountId)).toBe(0);
      return performance.now() - killedAtMs;
    },
    { withinMs: LEASE_MS + SLACK_MS },
  );
  process.stdout.write(`slots of a killed api: free ${(freeAfterMs / 1_000).toFixed(1)} s after the kill\n`);
  expect(freeAfterMs).toBeGreaterThan(LEASE_MS / 2);
  expect(await design()).toBe(200);
});
