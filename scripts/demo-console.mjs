// The console of a new installation with the customers of `greenroom seed --demo`, and a browser to look at it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const program = join(root, 'dist', 'src', 'main.js');

/** Starts the product, adds the customer, signs its first administrator in, and does `use` with a browser and the session. */
export async function withDemoConsole(use) {
  const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-data-'));
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'error' };
  const product = spawn(process.execPath, [program, 'start'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let browser;
  try {
    const baseURL = `http://127.0.0.1:${env.PORT}`;
    await eventually(async () => (await fetch(`${baseURL}/readyz`)).ok);
    const { status } = spawnSync(process.execPath, [program, 'seed', '--demo'], { env, stdio: 'inherit' });
    if (status !== 0) throw new Error('The customers of the demo were not added.');
    const executablePath = spawnSync('sh', ['-c', 'command -v chromium']).stdout.toString().trim();
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    await use(browser, { baseURL, storageState: await signIn(browser, baseURL, dataDir) });
  } finally {
    await browser?.close();
    const ended = product.exitCode === null ? once(product, 'exit') : undefined;
    product.kill();
    await ended;
    rmSync(dataDir, { recursive: true });
  }
}

/** The session of the first administrator, whose password is a temporary one. */
async function signIn(browser, baseURL, dataDir) {
  const context = await browser.newContext({ baseURL });
  const { admin_email: email, admin_password: password } = JSON.parse(
    readFileSync(join(dataDir, 'first-run.json'), 'utf8'),
  );
  const post = async (path, data) => {
    const response = await context.request.post(path, { data, headers: { origin: baseURL } });
    if (!response.ok()) throw new Error(`${path}: ${await response.text()}`);
  };
  await post('/admin/auth/sign-in', { email, password });
  await post('/admin/me/password', { current_password: password, new_password: `${password} and more` });
  const storageState = await context.storageState();
  await context.close();
  return storageState;
}

/** The ids of what the demo has added, once its voices are reviewed. */
export async function readIds(request) {
  const firstOf = async (path) => (await (await request.get(path)).json()).items[0];
  const isReviewed = async () => (await firstOf('/admin/voices?search=Harbour')).status === 'completed';
  await eventually(isReviewed);
  return {
    accountId: (await firstOf('/admin/accounts?search=Northwind')).id,
    keyId: (await firstOf('/admin/api-keys?search=Production')).id,
    voiceId: (await firstOf('/admin/voices?search=Harbour')).voice_id,
  };
}

export async function eventually(holds) {
  for (const until = Date.now() + 120_000; !(await holds().catch(() => false)); await wait(500))
    if (Date.now() > until) throw new Error(`Not within two minutes: ${holds}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}
