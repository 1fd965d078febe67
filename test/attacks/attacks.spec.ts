import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { silentFlac } from '../../libs/audio/codecs/spec-containers';
import { ApiProcess } from '../support/api-process';
import { Stack, type IssuedKey } from '../support/stack';
import { ATTACK_OPTIONS, ATTACKS, GOOD_CLIENTS, type AttackName } from './attacks';
import { measureGoodClient, type Latency } from './good-client';

const { names, seconds } = ATTACK_OPTIONS;
const IDLE_SECONDS = 4;
/** A process that does not respond for so long after an attack counts as dead. */
const PATIENCE_MS = 10_000;

jest.setTimeout(names.length * (seconds + IDLE_SECONDS + 60) * 1_000);

interface Row {
  name: AttackName;
  idle: Latency;
  attacked: Latency;
  isAlive: boolean;
  peakMb: number;
  attacker: string;
}

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start({ worker: false });
});

afterAll(async () => {
  await stack.stop();
});

it('attacks leave the process alive', async () => {
  const rows: Row[] = [];
  for (const name of names) {
    rows.push(await attack(name));
    process.stdout.write(`${describeRow(rows.at(-1)!)}\n`);
  }
  process.stdout.write(`\n${HEAD}\n${rows.map(describeRow).join('\n')}\n`);
  expect(rows.filter(({ isAlive }) => !isAlive).map(({ name }) => name)).toEqual([]);
});

async function attack(name: AttackName): Promise<Row> {
  const [{ secret }, attacking] = [await consentedKey(), await consentedKey()];
  const request = GOOD_CLIENTS[name];
  const api = await ApiProcess.start(stack.config);
  try {
    await measureGoodClient(api.url, secret, 1, request);
    const idle = await measureGoodClient(api.url, secret, IDLE_SECONDS, request);
    const attacker = await startAttacker(name, api.url, attacking.secret);
    const attacked = await measureGoodClient(api.url, secret, seconds, request);
    const [seen] = await Promise.all(attacker);
    return {
      name,
      idle,
      attacked,
      isAlive: api.isAlive && (await responses(api.url)),
      peakMb: api.peakMb,
      attacker: JSON.stringify(seen),
    };
  } finally {
    await api.stop('SIGKILL');
  }
}

/** A key of an account of its own, which may upload recordings. */
async function consentedKey(): Promise<IssuedKey> {
  const key = await stack.issueKey({ tier: 'business' });
  await stack.asOwner('UPDATE account SET recordings_consented_at = now() WHERE id = $1', [key.accountId]);
  return key;
}

async function responses(url: string): Promise<boolean> {
  const healthy = fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  return healthy.then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Starts the attacker; the promise within resolves to what it has seen when it ends. */
async function startAttacker(name: AttackName, url: string, secret: string): Promise<Promise<unknown>[]> {
  const recording = Buffer.from(silentFlac(599)).toString('base64');
  const child = fork(join(__dirname, 'attacker.mjs'), [name, url, secret, String(seconds), recording]);
  await once(child, 'message');
  return [once(child, 'message')];
}

const HEAD =
  '| attack | idle p50 / p95 / p99 ms | attacked p50 / p95 / p99 ms | x idle p95 | failed | alive | peak MB |\n' +
  '|---|---|---|---|---|---|---|';

function describeRow({ name, idle, attacked, isAlive, peakMb, attacker }: Row): string {
  const times = ({ p50, p95, p99 }: Latency) => [p50, p95, p99].map((ms) => ms.toFixed(1)).join(' / ');
  const ratio = (attacked.p95 / idle.p95).toFixed(1);
  const failed = `${attacked.failed}/${attacked.sent}`;
  return `| ${ATTACKS[name]} | ${times(idle)} | ${times(attacked)} | ${ratio} | ${failed} | ${isAlive} | ${peakMb} | ${attacker}`;
}
