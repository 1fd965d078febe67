import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../../libs/config/app-config';
import { reconcileCredits } from '../../libs/credits/reconciliation';
import { Stack, type IssuedKey } from '../support/stack';
import { issueServiceCredential } from '../support/ledger-storm';
import { TemporaryFolder } from '../support/temporary-folder';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { FAULT_OPTIONS, pause, seededRandom } from './fault-options';

const MAIN = join(__dirname, '../../dist/src/main.js');
const KILLS = FAULT_OPTIONS.isLong ? 20 : 3;
const CALLERS = 4;
/** Longer than a move takes, and longer than a charge waits for one. */
const MOVE_MS = 60_000;
const CELLS = [
  { CELL: '00', APP_SECRET: 'a-secret-of-the-first-cell-of-these-tests' },
  { CELL: '01', APP_SECRET: 'a-secret-of-the-second-cell-of-these-tests' },
];

const folder = TemporaryFolder.make('greenroom-cell-moves-');
let databases: TestDatabase[];
let stacks: Stack[];

beforeAll(async () => {
  databases = [await createTestDatabase(), await createTestDatabase()];
  stacks = await Promise.all(
    CELLS.map((env, index) => Stack.start({ worker: false, database: databases[index], env })),
  );
  const services = await Promise.all(stacks.map(({ api }) => issueServiceCredential(api)));
  stacks.forEach((stack, index) => credentials.set(stack, services[index]!));
  CELLS.forEach((_, index) => writeFileSync(envFile(index), toLines(variablesOf(index))));
});

afterAll(async () => {
  await Promise.all(stacks.map((stack) => stack.stop()));
  folder.remove();
});

const credentials = new Map<Stack, string>();
const envFile = (index: number) => join(folder.path, `cell-${index}.env`);
const toLines = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
const variablesOf = (index: number) => ({
  ...CELLS[index]!,
  DATABASE_URL: databases[index]!.url,
  MIGRATION_DATABASE_URL: databases[index]!.ownerUrl,
});

/**
 * Moves an account by the command.
 *
 * @param killAfterMs when it is killed, counted from its first output; null for never
 * @returns how it ended, what it printed, and how long it worked
 */
async function move(accountId: string, from: number, killAfterMs: number | null) {
  const args = ['cells', 'move', accountId, '--to', envFile(1 - from), '--apply', '--reason', 'A test'];
  const child = spawn(process.execPath, [MAIN, ...args], { env: childEnvironment(variablesOf(from)) });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()));
  const signal = AbortSignal.timeout(MOVE_MS);
  const closed = once(child, 'close', { signal }) as Promise<[number | null]>;
  await Promise.race([once(child.stdout, 'data'), closed]);
  const startedAtMs = performance.now();
  if (killAfterMs !== null) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [code] = await closed;
  return { code, output, workedMs: performance.now() - startedAtMs };
}

/** Callers that send each charge until a cell has settled it. */
class Charges {
  readonly confirmed: string[] = [];
  /** When the last of them is settled, after `stop`. */
  readonly done: Promise<unknown>;
  private isRunning = true;

  constructor(private readonly key: IssuedKey) {
    this.done = Promise.all(Array.from({ length: CALLERS }, () => this.call()));
  }

  stop(): void {
    this.isRunning = false;
  }

  private async call(): Promise<void> {
    while (this.isRunning) {
      const requestId = randomUUID();
      const startedAtMs = performance.now();
      for (let place = 0; !(await this.charge(stacks[place % 2]!, requestId)); place++) {
        if (performance.now() - startedAtMs > MOVE_MS) throw new Error('No cell has settled a charge.');
        await pause(5);
      }
      this.confirmed.push(requestId);
    }
  }

  private async charge(stack: Stack, requestId: string): Promise<boolean> {
    const response = await fetch(`${stack.baseUrl}/introspect`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${credentials.get(stack)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        token: this.key.secret,
        scope: 'text_to_speech',
        cost: 1,
        operation: 'speech',
        request_id: requestId,
      }),
    });
    const body = (await response.json()) as { active?: boolean; charged?: number };
    return response.status === 200 && body.active === true;
  }
}

/** Moves an account to and fro until the command has been killed often enough, and it is back in its first cell. */
async function moveToAndFro(accountId: string) {
  const random = seededRandom(FAULT_OPTIONS.seed);
  let [home, kills, moves, wholeMs] = [0, 0, 0, 0];
  let isUnderWay = false;
  while (kills < KILLS || isUnderWay || home !== 0) {
    const isKilled = wholeMs > 0 && kills < KILLS;
    const { code, output, workedMs } = await move(accountId, home, isKilled ? random() * wholeMs : null);
    isUnderWay = code === null;
    if (isUnderWay) {
      kills++;
      continue;
    }
    expect([code, output]).toEqual([0, expect.any(String)]);
    if (!isKilled) wholeMs = workedMs;
    moves++;
    home = 1 - home;
  }
  return { home, kills, moves, wholeMs };
}

it(`an account is moved ${KILLS} kills long, to and fro, and each charge is in the ledger once`, async () => {
  const key = await stacks[0]!.issueKey();
  const charges = new Charges(key);
  const moving = moveToAndFro(key.accountId).finally(() => charges.stop());
  const [{ home, kills, moves, wholeMs }] = await Promise.all([moving, charges.done]);
  const lines = await stacks[home]!.asOwner<{ request_id: string }>(
    'SELECT request_id FROM credit_ledger WHERE account_id = $1',
    [key.accountId],
  );
  process.stdout.write(
    `${kills} kills in ${moves} moves of ${Math.round(wholeMs)} ms: ${charges.confirmed.length} charges confirmed, ${lines.length} in the ledger\n`,
  );
  expect(lines.map(({ request_id: id }) => id.replace('service/', '')).sort()).toEqual(
    charges.confirmed.toSorted(),
  );
  for (const { dataSource } of stacks) expect((await reconcileCredits(dataSource)).breaches).toEqual([]);
}, 900_000);
