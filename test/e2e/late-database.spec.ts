import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { childEnvironment } from '../../libs/config/app-config';
import { freePort } from '../../src/launcher/free-port';
import { eventually } from '../support/eventually';
import { PRESENT_MAIN } from '../support/previous-release';
import { TcpProxy } from '../support/tcp-proxy';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/test-database';

/** In each direction: a query takes two seconds. */
const LATE_MS = 1_000;

let database: TestDatabase;
let proxy: TcpProxy;
let started: ChildProcess | null = null;
let output = '';

async function place(created: Promise<TestDatabase>, lateMs = LATE_MS): Promise<void> {
  database = await created;
  proxy = await TcpProxy.to(database.ownerUrl);
  proxy.delayMs = () => lateMs;
  output = '';
}

/** `greenroom` with a database that responds through the slow network. */
function run(args: string[], waitSecs: number, more: Record<string, string> = {}): ChildProcess {
  started = spawn(process.execPath, [PRESENT_MAIN, ...args], {
    env: childEnvironment({
      DATABASE_URL: proxy.url,
      MIGRATION_DATABASE_URL: proxy.url,
      APP_SECRET: 'a-secret-that-only-the-tests-of-greenroom-use',
      START_WAIT_SECS: String(waitSecs),
      LOG_FORMAT: 'json',
      ...more,
    }),
    stdio: 'pipe',
  });
  for (const stream of [started.stdout, started.stderr])
    stream!.on('data', (text: Buffer) => (output += text.toString()));
  return started;
}

afterEach(async () => {
  if (started?.exitCode === null && started.kill('SIGKILL')) await once(started, 'exit');
  await proxy.stop();
  await database.drop();
});

it('an api waits for a database that takes two seconds for a query, and serves as soon as it is quick', async () => {
  await place(createTestDatabase());
  const port = String(await freePort('127.0.0.1'));
  const api = run(['api'], 60, { PORT: port });
  await eventually(() =>
    expect(output).toMatch(/Waiting for the database of DATABASE_URL, which responds late \(/),
  );
  expect(api.exitCode).toBeNull();
  proxy.delayMs = () => 0;
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200));
});

it('a migration is done on a database that stays slow, too slow to connect to in time, and says what it waits for', async () => {
  await place(createTestDatabase(), 0.4 * LATE_MS);
  const [code] = await once(run(['migrate'], 240), 'close');
  expect(output).toMatch(
    /^Waiting for the database, which responds late \(timeout expired; \d+ of 240 s\)$/m,
  );
  expect(output).toMatch(/^The schema is up to date\.$/m);
  expect(code).toBe(0);
});

it('ends after START_WAIT_SECS, with one sentence', async () => {
  await place(createEmptyDatabase());
  const [code] = await once(run(['migrate'], 3), 'close');
  expect(output.trimEnd().split('\n').at(-1)).toMatch(
    /^greenroom: the database responds too late \(timeout expired\), and START_WAIT_SECS \(3\) is over\. /,
  );
  expect(code).toBe(1);
});

it('an api waits for a database that refuses, and serves as soon as it does not', async () => {
  await place(createTestDatabase(), 0);
  proxy.refuse(true);
  const port = String(await freePort('127.0.0.1'));
  const api = run(['api'], 60, { PORT: port });
  await eventually(() =>
    expect(output).toMatch(/Waiting for the database of DATABASE_URL, which is not reached \(/),
  );
  expect(api.exitCode).toBeNull();
  proxy.refuse(false);
  await eventually(async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200));
});

it('a migration that is refused ends after START_WAIT_SECS, and one with a wrong password at once', async () => {
  await place(createEmptyDatabase(), 0);
  const wrong = new URL(proxy.url);
  wrong.password = 'another-password';
  const urls = { DATABASE_URL: wrong.href, MIGRATION_DATABASE_URL: wrong.href };
  expect(await once(run(['migrate'], 3_600, urls), 'close')).toEqual([1, null]);
  expect(output).toMatch(/^greenroom: .*password.*\n$/);
  output = '';
  proxy.refuse(true);
  expect(await once(run(['migrate'], 2), 'close')).toEqual([1, null]);
  expect(output).toMatch(/^Waiting for the database, which is not reached \(/);
  expect(output.trimEnd()).toMatch(/START_WAIT_SECS \(2\) is over\.$/);
});
