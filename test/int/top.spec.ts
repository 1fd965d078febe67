import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TopFigures } from '../../src/cli/top/top-figures';
import { childEnvironment } from '../../libs/config/app-config';
import { eventually } from '../support/eventually';
import { Stack } from '../support/stack';
import { StaffClient } from '../support/staff-client';
import { storeVoice, waitForReview } from '../support/stored-voices';

Object.assign(globalThis, { __QUEUE_BACKEND__: 'postgres' });

const MAIN = join(__dirname, '..', '..', 'dist', 'src', 'main.js');

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start();
});

afterAll(() => stack.stop());

function start(command: string, args: string[]) {
  const { databaseUrl: DATABASE_URL } = stack.config;
  const APP_SECRET = stack.config.requireAppSecret();
  const env = { ...childEnvironment({ DATABASE_URL, APP_SECRET }), TERM: 'xterm' };
  const child = spawn(command, args, { env });
  const run = { child, output: '', ended: once(child, 'exit') };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (run.output += data.toString()));
  return run;
}

async function check(): Promise<TopFigures> {
  const run = start(process.execPath, [MAIN, 'top', '--once', '--json']);
  expect([await run.ended, run.output]).toEqual([[0, null], expect.stringMatching(/^\{.*\}\n$/)]);
  return JSON.parse(run.output) as TopFigures;
}

it('counts what the console counts: queues, workers, reviews, the outbox, and requests of the api', async () => {
  await waitForReview(stack, await storeVoice(stack), 'completed');
  await fetch(`${stack.baseUrl}/v1/models`);
  await eventually(async () => {
    const { queues, workers, outbox, api } = await check();
    expect(queues.map(({ name }) => name)).toEqual(['voice-review', 'webhooks', 'email', 'chat']);
    expect(queues[0]).toMatchObject({ paused: false, waiting: 0, running: 0, failed: 0, error: null });
    expect(workers).toMatchObject([{ state: 'healthy', running: 0, slots: 2 }]);
    expect(outbox).toMatchObject({ messages: 0, waiting_turn: 0 });
    expect(api).toHaveLength(1);
    expect(api[0]!.requests).toBeGreaterThan(0);
  });
  const [load] = await stack.dataSource.query<{ refusals: string }[]>('SELECT refusals FROM api_load');
  expect(Number(load!.refusals)).toBe(1);
});

it('says as many waiting as the queues, the accounts that wait, the forecast and the metrics do, wherever they wait', async () => {
  const ops = await StaffClient.signedIn(stack, 'ops');
  const account = await stack.openAccount();
  const reason = 'Ticket 4711';
  await ops.post(`/admin/queues/accounts/${account}/hold`, { kind: 'held', minutes: 5, reason });
  for (let n = 0; n < 4; n++) await storeVoice(stack, { accountId: account });
  await stack.dataSource.query(
    `UPDATE voice SET review_state = 'retry_wait' WHERE id = (SELECT id FROM voice WHERE account_id = $1 LIMIT 1)`,
    [account],
  );
  const [overview, accounts, times, { queues, verdicts }] = await Promise.all([
    ops.get('/admin/queues'),
    ops.get('/admin/queues/accounts'),
    ops.get('/admin/queues/times?work=reviews&minutes=60'),
    check(),
  ]);
  expect(queues[0]).toMatchObject({ name: 'voice-review', waiting: 3 });
  expect(verdicts).toEqual([expect.stringMatching(/every worker works: 3 voices wait, since \d\d:\d\d\.$/)]);
  expect(overview.body).toMatchObject({ queues: [{ counts: { waiting: 3 } }, {}, {}, {}] });
  expect(accounts.body).toMatchObject({ items: [{ waiting_turn: 3, in_queue: 0, retrying: 1 }] });
  expect(times.body).toMatchObject({ forecast: { waiting: 3 } });
});

it('in a terminal it draws again each second, and q leaves the terminal as it was', async () => {
  const command = `stty cols 80 rows 24; ${process.execPath} ${MAIN} top; echo "ended with $?"; stty -a`;
  const run = start('script', ['-qefc', command, '/dev/null']);
  const drawn = () => run.output.split('greenroom top').length - 1;
  await eventually(() => expect(drawn()).toBeGreaterThanOrEqual(3));
  expect(run.output).toContain('\u001B[?1049h');
  run.child.stdin.write('q');
  await run.ended;
  const after = run.output.slice(run.output.lastIndexOf('\u001B[?25h\u001B[?1049l'));
  expect(after).toMatch(/^.{14}\s*ended with 0/);
  expect(run.output).toMatch(/[^-]icanon/);
  expect(run.output).not.toMatch(/-icanon|-echo /);
});
