import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { freePort } from '../../src/launcher/free-port';
import { ApiProcess } from '../support/api-process';
import { eventually } from '../support/eventually';
import { expiryOf } from '../support/expiry';
import { creditsUsed, makeVoice } from '../support/previews';
import { designBody } from '../support/samples';
import { Stack, type IssuedKey } from '../support/stack';
import { withUpstream } from '../support/upstream';
import { FAULT_OPTIONS } from './fault-options';

const KILLS = FAULT_OPTIONS.isLong ? 20 : 4;
const CALLERS = 6;
/** Several pieces. */
const TEXT =
  'The harbour was quiet that morning. A boat came in. Nobody had heard of it for a week, or longer.';
/** Between the response after which a process is killed, and that. */
const LONGEST_PAUSE_MS = 400;

jest.setTimeout(1_800_000);

/** An installation whose api is a separate process, at an address that it keeps. */
interface Installation {
  stack: Stack;
  start: () => Promise<ApiProcess>;
  process: ApiProcess;
}

let here: Installation;
let there: Installation;
let callers: IssuedKey;
let account: IssuedKey;
let voiceId: string;

beforeAll(async () => {
  there = await install({});
  account = await there.stack.issueKey({ tier: 'enterprise', concurrency: 50 });
  here = await install(withUpstream(there.process.url, account.secret));
  callers = await here.stack.issueKey({ tier: 'enterprise', concurrency: 50 });
  ({ voiceId } = await makeVoice(here.stack, callers.secret));
});

afterAll(async () => {
  for (const installation of [here, there]) {
    await installation?.process.stop('SIGKILL');
    await installation?.stack.stop();
  }
});

async function install(env: Record<string, string>): Promise<Installation> {
  const stack = await Stack.start({ worker: false, env });
  const port = await freePort('127.0.0.1');
  const start = async () => ApiProcess.start(stack.config, { port, env });
  return { stack, start, process: await start() };
}

const OPERATIONS = {
  text_to_voice_design: { path: () => '/v1/text-to-voice/design', body: designBody() },
  'text_to_voice_design, streamed': {
    path: () => '/v1/text-to-voice/design',
    body: designBody({ stream_previews: true }),
  },
  text_to_voice_remix: {
    path: () => `/v1/text-to-voice/${voiceId}/remix`,
    body: { ...designBody(), voice_description: 'Deeper and slower, please.' },
  },
  'text_to_speech, whole': { path: () => `/v1/text-to-speech/${voiceId}`, body: { text: TEXT } },
  'text_to_speech, streamed': { path: () => `/v1/text-to-speech/${voiceId}/stream`, body: { text: TEXT } },
  'text_to_speech, with timestamps': {
    path: () => `/v1/text-to-speech/${voiceId}/with-timestamps`,
    body: { text: TEXT },
  },
};

/** Sends requests until it is stopped; what becomes of them is for the ledgers to say. */
async function call(signal: AbortSignal, counts: Map<string, number>): Promise<void> {
  const operations = Object.entries(OPERATIONS);
  while (!signal.aborted) {
    const [name, { path, body }] = operations[randomInt(operations.length)]!;
    const status = await fetch(`${here.process.url}${path()}`, {
      method: 'POST',
      headers: { 'xi-api-key': callers.secret, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
      .then(async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      })
      .catch(() => 'broken off');
    counts.set(`${name}: ${status}`, (counts.get(`${name}: ${status}`) ?? 0) + 1);
    if (status !== '200') await pause(100);
  }
}

const served = (counts: Map<string, number>) =>
  [...counts].reduce((sum, [name, count]) => sum + (name.endsWith(': 200') ? count : 0), 0);

const holdsOf = async ({ stack }: Installation) => stack.asOwner('SELECT 1 FROM credit_hold');

/** Ends what both still hold: there as its deadlines would, here by what the upstream says. */
async function settle(victim: Installation): Promise<void> {
  // The requests of a client that was killed end by themselves.
  const isDead = victim === there;
  if (isDead) await there.stack.asOwner('UPDATE credit_hold SET deadline = now()');
  await eventually(async () => expect(isDead ? [] : await holdsOf(there)).toEqual([]), { withinMs: 60_000 });
  await expiryOf(there.stack).expire('credit-holds');
  await here.stack.asOwner(`UPDATE credit_hold SET deadline = now() + interval '60 seconds'`);
  await expiryOf(here.stack).expire('credit-holds');
  expect([await holdsOf(here), await holdsOf(there)]).toEqual([[], []]);
}

interface Charged {
  request: string;
  operation: string;
  credits: number;
}

const charged = async ({ stack }: Installation, id: string) =>
  stack.asOwner<Charged>(
    `SELECT ${id} AS request, min(operation) AS operation, sum(amount)::int AS credits FROM credit_ledger
     WHERE kind IN ('charge', 'refund') AND ${id} IS NOT NULL GROUP BY 1 HAVING sum(amount) <> 0`,
  );

it(`two installations agree to the credit, although one of them is killed with -9 ${KILLS} times`, async () => {
  const counts = new Map<string, number>();
  const resumed = { here: 0, there: 0 };
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const stop = new AbortController();
    const calling = Array.from({ length: CALLERS }, () => call(stop.signal, counts));
    const killAfter = served(counts) + randomInt(1, CALLERS);
    await eventually(async () => expect(served(counts)).toBeGreaterThanOrEqual(killAfter), {
      withinMs: 300_000,
      everyMs: 5,
    });
    await pause(randomInt(LONGEST_PAUSE_MS));
    const name = kill % 2 === 0 ? 'here' : 'there';
    const victim = name === 'here' ? here : there;
    await victim.process.stop('SIGKILL');
    stop.abort();
    await Promise.all(calling);
    resumed[name] += (await holdsOf(here)).length;
    victim.process = await victim.start();
    await settle(victim);
    const [ofHere, ofThere] = [
      await creditsUsed(here.stack, callers.keyId),
      await creditsUsed(there.stack, account.keyId),
    ];
    expect([kill, ofHere]).toEqual([kill, ofThere]);
  }
  const [ofHere, ofThere] = [await charged(here, 'request_id'), await charged(there, 'end_user')];
  const creditsThere = new Map(ofThere.map(({ request, credits }) => [request, credits]));
  const table = [...new Set(ofHere.map(({ operation }) => operation))].map((operation) => {
    const requests = ofHere.filter((each) => each.operation === operation);
    const sum = (credits: number[]) => credits.reduce((total, each) => total + each, 0);
    return {
      operation,
      requests: requests.length,
      'charged here': sum(requests.map(({ credits }) => credits)),
      'charged there': sum(requests.map(({ request }) => creditsThere.get(request) ?? 0)),
      equal: requests.filter(({ request, credits }) => creditsThere.get(request) === credits).length,
    };
  });
  process.stdout.write(
    `${KILLS} kills; settled after one: ${resumed.here} of here, ${resumed.there} of there\n`,
  );
  process.stdout.write(`${table.map((row) => JSON.stringify(row)).join('\n')}\n`);
  process.stdout.write(`${JSON.stringify(Object.fromEntries([...counts].sort()))}\n`);
  for (const row of table)
    expect([row['charged here'], row.equal]).toEqual([row['charged there'], row.requests]);
  // None was charged there for nobody here.
  expect(ofThere).toHaveLength(ofHere.length);
  expect((await reconcileCredits(here.stack.dataSource)).breaches).toEqual([]);
  expect((await reconcileCredits(there.stack.dataSource)).breaches).toEqual([]);
});
