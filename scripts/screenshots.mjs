// npm run screenshots -- [FOLDER]
// Takes pictures of the console with the customer of `greenroom seed --demo`: each screen in two widths and both themes, into a
// folder (by default a temporary one), as WebP. Those that the README shows, light, are written to docs/screenshots as well.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const WIDTHS = [390, 1440];
const HEIGHT = 1_000;
/** What is further down is more of the same. */
const MAX_HEIGHT = 1_200;
const OFFICE = '203.0.113.10';
const AGENCY = '198.51.100.7';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = resolve(process.argv[2] ?? mkdtempSync(join(tmpdir(), 'greenroom-screenshots-')));
const shown = readFileSync(join(root, 'README.md'), 'utf8').matchAll(/docs\/screenshots\/([\w-]+\.webp)/g);
const shownFiles = new Set([...shown].map(([, file]) => file));

/** The screens: their paths, and what is done on each before its picture is taken. */
const screensOf = ({ accountId, keyId, voiceId }) => ({
  home: { path: '/' },
  accounts: { path: '/accounts' },
  account: { path: `/accounts/${accountId}` },
  'api-keys': { path: '/api-keys' },
  'api-key': { path: `/api-keys/${keyId}` },
  queues: { path: '/queues' },
  'audit-log': { path: '/audit-log' },
  approvals: { path: '/approvals' },
  voice: {
    path: `/voices/${voiceId}`,
    prepare: async (page) => {
      await page.getByLabel('Why are you listening?').fill('Ticket 4711');
      await page.getByRole('button', { name: 'Listen' }).click();
      await page.getByRole('img', { name: /^Waveform/ }).waitFor();
    },
  },
  'review-desk': {
    path: '/review-desk?do=next',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Play' }).click();
      await page.getByRole('img', { name: /^Waveform/ }).waitFor();
    },
  },
  explain: {
    path: `/api-keys/${keyId}/explain`,
    prepare: async (page) => {
      await page.getByLabel('Address of the client').fill(AGENCY);
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('this one decides').waitFor();
    },
  },
  'allow-list-dry-run': {
    path: `/api-keys/${keyId}/allow-list`,
    prepare: async (page) => {
      const entries = `${OFFICE} # the office\n192.0.2.0/24 # the new agency`;
      await page.getByLabel('Addresses and CIDR blocks').fill(entries);
      await page.getByLabel('Is this address allowed?').fill(AGENCY);
      await page.getByText('2 entries would be stored').waitFor();
      await page
        .getByText(/would have been refused\./)
        .first()
        .waitFor();
    },
  },
});

const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-data-'));
const env = { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'error' };
const program = join(root, 'dist', 'src', 'main.js');
const product = spawn(process.execPath, [program, 'start'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
try {
  await takeAll(`http://127.0.0.1:${env.PORT}`);
} finally {
  const ended = product.exitCode === null ? once(product, 'exit') : undefined;
  product.kill();
  await ended;
  rmSync(dataDir, { recursive: true });
}
console.log(`The pictures are in ${folder}.`);

async function takeAll(baseUrl) {
  await eventually(async () => (await fetch(`${baseUrl}/readyz`)).ok);
  const { status } = spawnSync(process.execPath, [program, 'seed', '--demo'], { env, stdio: 'inherit' });
  if (status !== 0) throw new Error('The customer of the demo was not added.');
  mkdirSync(folder, { recursive: true });
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium']).stdout.toString().trim();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const session = { baseURL: baseUrl, storageState: await signIn(browser, baseUrl) };
  for (const colorScheme of ['light', 'dark']) await takeTheme(browser, { ...session, colorScheme });
  await browser.close();
}

async function takeTheme(browser, options) {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const screens = screensOf(await readIds(page.request));
  for (const [name, { path, prepare }] of Object.entries(screens)) {
    await page.setViewportSize({ width: 1440, height: HEIGHT });
    await page.goto(`/console${path}`);
    await page.locator('h1').first().waitFor();
    await page.locator('[aria-label="Loading"]').first().waitFor({ state: 'detached' });
    await prepare?.(page);
    for (const width of WIDTHS) await take(page, `${name}-${width}`, width, options.colorScheme);
  }
  await context.close();
}

/** The session of the first administrator, whose password is a temporary one. */
async function signIn(browser, baseURL) {
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

/** What the demo has added, once its voices are reviewed. */
async function readIds(request) {
  const firstOf = async (path) => (await (await request.get(path)).json()).items[0];
  const isReviewed = async () => (await firstOf('/admin/voices?search=Harbour')).status === 'completed';
  await eventually(isReviewed);
  return {
    accountId: (await firstOf('/admin/accounts?search=Northwind')).id,
    keyId: (await firstOf('/admin/api-keys?search=Production')).id,
    voiceId: (await firstOf('/admin/voices?search=Harbour')).voice_id,
  };
}

/** The screen as it is, in WebP: a fraction of the bytes of PNG. */
async function take(page, name, width, theme) {
  await page.setViewportSize({ width, height: HEIGHT });
  const full = await page.evaluate('document.documentElement.scrollHeight');
  const height = Math.min(Math.max(HEIGHT, full), MAX_HEIGHT);
  await page.setViewportSize({ width, height });
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  const session = await page.context().newCDPSession(page);
  const clip = { x: 0, y: 0, width, height, scale: Math.min(1, 1280 / width) };
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 60, clip });
  await session.detach();
  const file = join(folder, theme, `${name}.webp`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, data, 'base64');
  const isShown = theme === 'light' && shownFiles.has(`${name}.webp`);
  if (isShown) copyFileSync(file, join(root, 'docs/screenshots', `${name}.webp`));
}

async function eventually(holds) {
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
