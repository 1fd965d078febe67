import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApi } from '../../apps/api/src/main';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';

let stack: Stack;
let others: NestFastifyApplication[];
let urls: string[];
let manager: StaffClient;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  others = await Promise.all([1, 2, 3].map(() => createApi(stack.config)));
  for (const api of others) await api.listen(0, '127.0.0.1');
  urls = [stack.baseUrl, ...(await Promise.all(others.map((api) => api.getUrl())))];
  manager = await StaffClient.signedIn(stack, 'account_manager');
});

afterAll(async () => {
  await Promise.all(others.map((api) => api.close()));
  await stack.stop();
});

async function ask(url: string, secret: string): Promise<number> {
  const response = await fetch(`${url}/v1/models`, { headers: { 'xi-api-key': secret } });
  await response.arrayBuffer();
  return response.status;
}

const askAll = (secret: string) => Promise.all(urls.map((url) => ask(url, secret)));

/** A key that every process has in its cache. */
async function knownKey(): Promise<IssuedKey> {
  const key = await stack.issueKey();
  for (const _ of [1, 2]) expect(await askAll(key.secret)).toEqual([200, 200, 200, 200]);
  return key;
}

interface Receipt {
  processes: number;
  acknowledged: number;
  ms: number;
}

/** A change by staff, and its receipt. */
async function change(path: string, body: object = {}): Promise<Receipt> {
  const response = await manager.post(path, { reason: 'A test', ...body }, { 'if-match': '*' });
  expect([response.status, response.text]).toEqual([200, expect.anything()]);
  return response.body.receipt as Receipt;
}

const disable = (keyId: string) =>
  change(`/admin/api-keys/${keyId}/disable`, { disable_reason: 'security_incident' });
const enable = (keyId: string) => change(`/admin/api-keys/${keyId}/enable`);

it('a disabled key is refused by every process from the receipt on', async () => {
  const { keyId, secret } = await knownKey();
  const receipt = await disable(keyId);
  expect(receipt).toMatchObject({ processes: 4, acknowledged: 4 });
  expect(await askAll(secret)).toEqual([401, 401, 401, 401]);
  await enable(keyId);
  expect(await askAll(secret)).toEqual([200, 200, 200, 200]);
});

it('so are all keys of a suspended account, and a secret whose rotation is over', async () => {
  const key = await knownKey();
  const sibling = await stack.issueKey({ accountId: key.accountId });
  await askAll(sibling.secret);
  const receipt = await change(`/admin/accounts/${key.accountId}/suspend`);
  expect(receipt).toMatchObject({ processes: 4, acknowledged: 4 });
  for (const { secret } of [key, sibling]) expect(await askAll(secret)).toEqual([401, 401, 401, 401]);

  const rotated = await knownKey();
  await change(`/admin/api-keys/${rotated.keyId}/rotate`, { overlap_days: 0 });
  expect(await askAll(rotated.secret)).toEqual([401, 401, 401, 401]);
});

it('under fifty requests a second, no process says yes after the receipt, and twenty receipts come in time', async () => {
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const { keyId, secret } = await knownKey();
    const hammering = new AbortController();
    const yes: number[] = [];
    const hammer = async (url: string) => {
      while (!hammering.signal.aborted) {
        const requestedAtMs = performance.now();
        if ((await ask(url, secret)) === 200) yes.push(requestedAtMs);
        await sleep(20);
      }
    };
    const hammers = urls.map(hammer);
    await sleep(100);
    const receipt = await disable(keyId);
    const revokedAtMs = performance.now();
    await sleep(60);
    hammering.abort();
    await Promise.all(hammers);
    expect(receipt).toMatchObject({ processes: 4, acknowledged: 4 });
    expect(yes.filter((requestedAtMs) => requestedAtMs >= revokedAtMs)).toEqual([]);
    times.push(receipt.ms);
  }
  times.sort((a, b) => a - b);
  expect(times[10]).toBeLessThan(50);
  expect(times.at(-1)).toBeLessThan(500);
});

describe('a process that is stopped for five seconds', () => {
  let stopped: ApiProcess;

  beforeAll(async () => {
    stopped = await ApiProcess.start(stack.config);
  });

  afterAll(async () => {
    stopped.signal('SIGCONT');
    await stopped.stop();
  });

  it('is not waited for once its heartbeat is old, and refuses the first request when it runs again', async () => {
    const { keyId, secret } = await knownKey();
    await eventually(async () => expect(await ask(stopped.url, secret)).toBe(200));
    expect(await ask(stopped.url, secret)).toBe(200);
    stopped.signal('SIGSTOP');
    const early = await disable(keyId);
    expect(early).toMatchObject({ processes: 5, acknowledged: 4 });
    await sleep(3_000);
    await enable(keyId);
    const late = await disable(keyId);
    expect(late).toMatchObject({ processes: 4, acknowledged: 4 });
    await sleep(1_500);
    const responses = Promise.all([1, 2, 3].map(() => ask(stopped.url, secret)));
    stopped.signal('SIGCONT');
    expect(await responses).toEqual([401, 401, 401]);
  });
});
