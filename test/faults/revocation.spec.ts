import { ApiProcess } from '../support/api-process';
import { Stack, type IssuedKey } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { pause } from './fault-options';

const ROUNDS = 20;
/** To all processes together. */
const REQUESTS_PER_SEC = 50;
const BEFORE_MS = 200;
const AFTER_MS = 200;
const FROZEN_MS = 5_000;

interface Receipt {
  processes: number;
  acknowledged: number;
  ms: number;
}

interface ClientResponse {
  sentAtMs: number;
  answeredAtMs: number;
  status: number;
}

let stack: Stack;
let manager: StaffClient;
/** Processes of their own; with that of the test there are four. */
let others: ApiProcess[];
let urls: string[];

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
  manager = await StaffClient.signedIn(stack, 'account_manager');
  others = await Promise.all([1, 2, 3].map(() => ApiProcess.start(stack.config)));
  urls = [stack.baseUrl, ...others.map(({ url }) => url)];
});

afterAll(async () => {
  for (const each of others) each.signal('SIGCONT');
  await Promise.all(others.map((each) => each.stop()));
  await stack.stop();
});

async function ask(url: string, secret: string): Promise<ClientResponse> {
  const sentAtMs = performance.now();
  const response = await fetch(`${url}/v1/models`, { headers: { 'xi-api-key': secret } });
  await response.arrayBuffer();
  return { sentAtMs, answeredAtMs: performance.now(), status: response.status };
}

/** A key that every process has in its cache. */
async function knownKey(): Promise<IssuedKey> {
  const key = await stack.issueKey();
  for (const url of [...urls, ...urls]) expect((await ask(url, key.secret)).status).toBe(200);
  return key;
}

async function disable(keyId: string): Promise<Receipt> {
  const body = { disable_reason: 'security_incident', reason: 'A test' };
  const response = await manager.post(`/admin/api-keys/${keyId}/disable`, body, { 'if-match': '*' });
  expect([response.status, response.text]).toEqual([200, expect.anything()]);
  return response.body.receipt as Receipt;
}

/** Sends requests to one process after the other, evenly, until it is stopped. */
function hammer(secret: string): () => Promise<ClientResponse[]> {
  const sent: Promise<ClientResponse>[] = [];
  const timer = setInterval(
    () => sent.push(ask(urls[sent.length % urls.length]!, secret)),
    1_000 / REQUESTS_PER_SEC,
  );
  return async () => {
    clearInterval(timer);
    return Promise.all(sent);
  };
}

function print(...columns: (string | number)[]): void {
  const cells = columns.map((each) => (typeof each === 'number' ? each.toFixed(1) : each).padStart(14));
  process.stdout.write(`${cells.join('')}\n`);
}

it(`under ${REQUESTS_PER_SEC} requests a second over four processes, none says yes after the receipt`, async () => {
  print('receipt', 'its ms', 'receipt at', 'last 200 sent', 'allowed', 'refused');
  for (let round = 0; round < ROUNDS; round += 1) {
    const { keyId, secret } = await knownKey();
    const stopHammer = hammer(secret);
    await pause(BEFORE_MS);
    const startedAtMs = performance.now();
    const { processes, acknowledged, ms } = await disable(keyId);
    const receivedAtMs = performance.now();
    await pause(AFTER_MS);
    const responses = await stopHammer();
    const yes = responses.filter(({ status }) => status === 200);
    const refused = responses.filter(({ status }) => status === 401);
    const last = yes.toSorted((a, b) => a.sentAtMs - b.sentAtMs).at(-1)!;
    print(
      `${acknowledged} of ${processes}`,
      ms,
      receivedAtMs - startedAtMs,
      last.sentAtMs - startedAtMs,
      last.answeredAtMs - startedAtMs,
      `${refused.length}`,
    );
    expect({ processes, acknowledged }).toEqual({ processes: 4, acknowledged: 4 });
    expect(yes.filter(({ sentAtMs }) => sentAtMs >= receivedAtMs)).toEqual([]);
    expect(refused.length).toBeGreaterThan(0);
    expect(yes.length + refused.length).toBe(responses.length);
  }
});

it('a process that was frozen for five seconds is counted in the receipt, and refuses when it continues', async () => {
  const { keyId, secret } = await knownKey();
  const [frozen] = others;
  frozen!.signal('SIGSTOP');
  const frozenAtMs = performance.now();
  const { processes, acknowledged, ms } = await disable(keyId);
  expect({ processes, acknowledged }).toEqual({ processes: 4, acknowledged: 3 });
  // Waits in the process's socket, so that it is the first thing the process sees.
  const requested = ask(frozen!.url, secret);
  await pause(FROZEN_MS - (performance.now() - frozenAtMs));
  const continuedAtMs = performance.now();
  frozen!.signal('SIGCONT');
  const { status, answeredAtMs } = await requested;
  const tookMs = (answeredAtMs - continuedAtMs).toFixed(1);
  process.stdout.write(
    `frozen: receipt ${acknowledged} of ${processes} in ${ms} ms; after ${FROZEN_MS} ms it continues and responds ${status} within ${tookMs} ms\n`,
  );
  expect(status).toBe(401);
});
