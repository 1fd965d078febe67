import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { silentFlac } from '../support/audio/containers';
import { ApiProcess } from '../support/api-process';
import { makeVoice, type VoiceOwner } from '../support/previews';
import { Stack } from '../support/stack';
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
  /** Of the time, how much its event loop was computing. */
  loopShare: number;
  isAlive: boolean;
  idleMb: number;
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
  const [good, attacking] = [await consentedOwner(), await consentedOwner()];
  const request = GOOD_CLIENTS[name];
  const api = await ApiProcess.start(stack.config);
  const measure = (secs: number) => measureGoodClient(api.url, good, secs, request);
  try {
    await measure(1);
    const idle = await measure(IDLE_SECONDS);
    const idleMb = api.peakMb;
    const attacker = await startAttacker(name, api.url, attacking);
    const cpuBefore = api.loopCpuMs;
    const attacked = await measure(seconds);
    const loopShare = (api.loopCpuMs - cpuBefore) / (seconds * 1_000);
    const [seen] = await Promise.all(attacker);
    return {
      name,
      idle,
      attacked,
      loopShare,
      isAlive: api.isAlive && (await responses(api.url)),
      idleMb,
      peakMb: api.peakMb,
      attacker: JSON.stringify(seen),
    };
  } finally {
    await api.stop('SIGKILL');
  }
}

/** The key of an account that has a voice and may upload recordings. */
async function consentedOwner(): Promise<VoiceOwner> {
  const key = await stack.issueKey({ tier: 'business' });
  await stack.asOwner('UPDATE account SET recordings_consented_at = now() WHERE id = $1', [key.accountId]);
  return { ...key, voiceId: (await makeVoice(stack, key.secret)).voiceId };
}

async function responses(url: string): Promise<boolean> {
  const healthy = fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  return healthy.then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Starts the attacker; the promise within resolves to what it has seen when it ends. */
async function startAttacker(name: AttackName, url: string, owner: VoiceOwner): Promise<Promise<unknown>[]> {
  const recording = Buffer.from(silentFlac(599)).toString('base64');
  const options = [name, url, owner.secret, String(seconds), recording, owner.voiceId];
  const child = fork(join(__dirname, 'attacker.mjs'), options);
  await once(child, 'message');
  return [once(child, 'message')];
}

const HEAD =
  '| attack | idle p50 / p95 / p99 ms | attacked p50 / p95 / p99 ms | x idle p50, p95 | failed | loop CPU | alive | MB idle, peak |\n' +
  '|---|---|---|---|---|---|---|---|';

function describeRow({ name, idle, attacked, loopShare, isAlive, idleMb, peakMb, attacker }: Row): string {
  const times = ({ p50, p95, p99 }: Latency) => [p50, p95, p99].map((ms) => ms.toFixed(1)).join(' / ');
  const ratio = [attacked.p50 / idle.p50, attacked.p95 / idle.p95]
    .map((times) => times.toFixed(1))
    .join(', ');
  const failed = `${attacked.failed}/${attacked.sent}`;
  const cpu = `${Math.round(100 * loopShare)} %`;
  return `| ${ATTACKS[name]} | ${times(idle)} | ${times(attacked)} | ${ratio} | ${failed} | ${cpu} | ${isAlive} | ${idleMb}, ${peakMb} | ${attacker}`;
}
