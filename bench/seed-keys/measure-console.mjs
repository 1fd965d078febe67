// Times how long a person waits in Chromium: for the first list of keys, from the click on "Sign in" and from opening the
// screen with a session, nothing in the browser's cache either time, and for the next screen after a click in the menu:
//
//     npm run build && node bench/seed-keys/measure-console.mjs postgres://…/greenroom_bench [rounds]
//
// Needs a database filled by seed-keys.mjs and seed-voices.mjs, and chromium on the PATH. Adds a member of staff to it.
import { execFileSync } from 'node:child_process';
import { argv } from 'node:process';
import { chromium } from 'playwright-core';
import { startApi } from '../lib/greenroom.mjs';
import { addAdmin } from '../lib/staff.mjs';

const [databaseUrl, rounds = '20'] = argv.slice(2);
if (!databaseUrl) throw new Error('Give the URL of a database that seed-keys.mjs has filled.');

const executablePath = execFileSync('sh', ['-c', 'command -v chromium']).toString().trim();
const admin = await addAdmin(databaseUrl);
const api = await startApi(databaseUrl, {}, { alone: false });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const screen = `${api.baseUrl}/console/api-keys`;

const signingIn = [];
const opening = [];
const firstPaint = [];
const firstVisit = [];
const changing = [];
let transferred = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  const context = await browser.newContext();
  signingIn.push(await timeSignIn(await context.newPage()));
  const again = await browser.newContext({ storageState: await context.storageState() });
  const page = await again.newPage();
  transferred = await bytesOf(page, async () => opening.push(await timeOpening(page)));
  firstPaint.push(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
  for (const times of [firstVisit, changing])
    for (const name of ['Accounts', 'Voices', 'API keys']) times.push(await timeChange(page, name));
  await context.close();
  await again.close();
}
await browser.close();
await api.stop();

console.log(`${'ms to the first row'.padEnd(30)}     p50     p95     max`);
report('from the click on "Sign in"', signingIn);
report('from opening the screen', opening);
report('first paint, when opened', firstPaint);
report('another screen, first visit', firstVisit);
report('another screen, afterwards', changing);
console.log(`${Math.round(transferred / 1_000)} kB transferred before the first row`);

async function timeSignIn(page) {
  await page.goto(screen);
  await page.getByLabel('E-mail address').fill(admin.email);
  await page.getByLabel(/^Password/).fill(admin.password);
  const startedAt = performance.now();
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await firstRow(page);
  return performance.now() - startedAt;
}

async function timeOpening(page) {
  const startedAt = performance.now();
  await page.goto(screen, { waitUntil: 'commit' });
  await firstRow(page);
  return performance.now() - startedAt;
}

/** From a click in the menu until the screen has its heading and its list. */
async function timeChange(page, name) {
  return page.evaluate(async (title) => {
    const link = [...document.querySelectorAll('nav a')].find(({ textContent }) =>
      textContent.startsWith(title),
    );
    const startedAt = performance.now();
    link.click();
    const isThere = () =>
      document.querySelector('h1')?.textContent.startsWith(title) &&
      document.querySelector('main table tbody tr') &&
      !document.querySelector('main [aria-label=Loading]');
    while (!isThere()) await new Promise(requestAnimationFrame);
    return performance.now() - startedAt;
  }, name);
}

/** Bytes that come over the network while something happens, as compressed as they come. */
async function bytesOf(page, act) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  let bytes = 0;
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await act();
  await devtools.detach();
  return bytes;
}

async function firstRow(page) {
  await page.locator('table[aria-label="API keys"] tbody tr a').first().waitFor();
}

function report(name, times) {
  times.sort((a, b) => a - b);
  const at = (share) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(0).padStart(8);
  console.log(`${name.padEnd(30)}${at(0.5)}${at(0.95)}${at(1)}`);
}
