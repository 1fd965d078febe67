// npm run screenshots -- [FOLDER]
// Takes pictures of the console with the customers of `greenroom seed --demo`: each screen in two widths and both themes, into a
// folder (by default a temporary one), as WebP. Those that the README shows, light, are written to docs/screenshots as well.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readIds, root, withDemoConsole } from './demo-console.mjs';

const WIDTHS = [390, 1440];
const HEIGHT = 1_000;
/** What is further down is more of the same. */
const MAX_HEIGHT = 1_200;
const OFFICE = '203.0.113.10';
const AGENCY = '198.51.100.7';

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

mkdirSync(folder, { recursive: true });
await withDemoConsole(async (browser, session) => {
  for (const colorScheme of ['light', 'dark']) await takeTheme(browser, { ...session, colorScheme });
});
console.log(`The pictures are in ${folder}.`);

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
